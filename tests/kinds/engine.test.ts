import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KINDS } from '../../src/kinds/registry.js';
import { WORKFLOW_KINDS } from '../../src/kinds/workflows.js';

/** What a call is for stands in every recording, and a reply that was cut off is judged or is an error. */
const OTHER_MEANINGS = ['contracts/language-model.ts', 'config/language-model-schema.ts', 'runtime/ports.ts'];
/** Entries of the package. */
const ENTRIES = ['index.ts', 'in-process/index.ts', 'client/index.ts'];

const SOURCE = new URL('../../src/', import.meta.url).pathname;

const outsideOfKinds = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    file.endsWith('.ts') && !file.startsWith('kinds/') && ![...OTHER_MEANINGS, ...ENTRIES].includes(file),
);

/** `run` is what experiments of every kind do, and what is done to programs and tests. */
const NAMED = KINDS.map(({ id }) => id).filter((id) => id !== 'run');

test.each(NAMED)('nothing outside of its folder and the registry names the kind %s', (id) => {
  const [first = '', ...rest] = id.split('-');
  const inNames = rest.length === 0 ? '' : `|${first}-?${rest.join('-?')}`;
  const name = new RegExp(`(['"\`])${id}\\1|/${id}/${inNames}`, 'i');
  const naming = outsideOfKinds.filter((file) => name.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(naming).toEqual([]);
});

test('workflows are registered for the kinds that there are', () => {
  expect(WORKFLOW_KINDS.map(({ id }) => id)).toEqual(KINDS.map(({ id }) => id));
});
