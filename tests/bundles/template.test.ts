import { expect, test } from 'vitest';
import { BUNDLE_TEMPLATE } from '../../src/bundles/template.js';
import { documents, fencesOf } from '../docs/markdown.js';

const shown = documents()
  .flatMap(fencesOf)
  .flatMap(({ before, language, content }) => {
    const name = /^<!-- part of: (.*) -->$/.exec(before)?.[1];
    return name === undefined ? [] : [{ name, language, content }];
  });

test('the documents show parts of the bundle that is written to start from', () => {
  expect(shown.map(({ name }) => name)).toEqual(['tools.ts', 'reward.ts', 'task.jsonl']);
});

test.each(shown)('$name holds what is shown of it', ({ name, language, content }) => {
  const text = BUNDLE_TEMPLATE[name] ?? '';
  if (language !== 'json') expect(text).toContain(content);
  else {
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(rows).toContainEqual(expect.objectContaining(JSON.parse(content)));
  }
});
