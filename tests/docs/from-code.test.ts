import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_TASK_QUEUE,
  FAILURE_TYPES,
  MAX_CONCURRENCY,
  QUERIES,
  SEARCH_ATTRIBUTES,
  UPDATES,
} from '../../src/client/index.js';
import { KINDS } from '../../src/kinds/registry.js';

const page = readFileSync('docs/from-code.md', 'utf8');

describe('docs/from-code.md', () => {
  const table = page
    .slice(page.indexOf('## From other languages'))
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');

  test.each([
    DEFAULT_TASK_QUEUE,
    ...KINDS.map(({ id }) => id),
    ...Object.values({ ...QUERIES, ...UPDATES, ...SEARCH_ATTRIBUTES }),
    FAILURE_TYPES.invalidInput,
    FAILURE_TYPES.runFailed,
  ])('lists the name `%s` for other languages', (name) => {
    expect(table).toContain(`\`${name}\``);
  });

  test('says how large a concurrency may be', () => {
    expect(table).toContain(`from 1 to ${MAX_CONCURRENCY}`);
  });
});
