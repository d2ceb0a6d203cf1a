import { expect, test } from 'vitest';
import { cachedWorkflows } from '../../src/workers/worker.js';

test.each([
  [undefined, 200],
  ['', 200],
  ['0', 0],
  ['12', 12],
])('a worker told %j keeps %i workflows in memory', (given, count) => {
  expect(cachedWorkflows({ REPRISE_CACHED_WORKFLOWS: given })).toBe(count);
});

test.each(['-1', '1.5', 'all'])('%s is refused by name', (given) => {
  expect(() => cachedWorkflows({ REPRISE_CACHED_WORKFLOWS: given })).toThrow(
    `REPRISE_CACHED_WORKFLOWS=${given}: must be a whole number of at least 0`,
  );
});
