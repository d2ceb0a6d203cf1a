import { expect, test } from 'vitest';
import { goalIn } from '../../../../src/kinds/agent-eval/bundles/goal-in.js';
import { filled } from '../../../databases/support.js';

const SEED = 'CREATE TABLE paid (who); INSERT INTO paid VALUES (1)';
const bytes = async (sql: string) => (await filled(sql)).serialize();
async function goal(end_goal_sql: string | null, change = '', seed = () => bytes(SEED)) {
  return goalIn(await bytes(`${SEED}; ${change}`), { end_goal_sql, now: '2026-03-02T09:00:00Z' }, seed);
}
const unread = () => Promise.reject(new Error('the seed is gone'));

test.each<[string | null, boolean | null]>([
  [null, null],
  ['SELECT count(*) FROM paid', true],
  ['SELECT count(*) > 1 FROM paid', false],
])('reads the seed only where a name is missing: %s', async (sql, holds) => {
  expect(await goal(sql, '', unread)).toBe(holds);
});

test('does not hold where it reads what was dropped', async () => {
  expect(await goal('SELECT count(*) FROM paid', 'DROP TABLE paid')).toBe(false);
});

test.each([
  ['SELECT count(*) FROM pain', 'no such table: pain'],
  ["SELECT 'yes' FROM paid", 'must come to true or false'],
  ['SELEC 1', 'syntax error'],
])('that cannot be evaluated is an error: %s', async (sql, message) => {
  await expect(goal(sql)).rejects.toThrow(message);
});
