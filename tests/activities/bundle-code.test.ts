import { expect, test } from 'vitest';
import { localBundleCode, type StoredRow } from '../../src/activities/agent-eval/bundle-code.js';
import { defineReward, ToolRegistry } from '../../src/bundles/index.js';
import { InfrastructureError } from '../../src/contracts/infrastructure-error.js';
import { SqliteDatabase } from '../../src/databases/sqlite-database.js';

const STORED = {
  folder: '/desk',
  row: { id: 'desk.001', now: '2026-03-02T09:00:00.000Z' },
} as unknown as StoredRow;

test.each([
  ['that does not answer', () => new Promise<never>(() => undefined), InfrastructureError],
  ['that answers in time', async () => ({ score: 1 }), null],
])('a reward %s is waited for no longer than it may take', async (_what, reward, expected) => {
  const code = localBundleCode({
    toolset: async () => new ToolRegistry('desk'),
    reward: async () => defineReward(reward),
  });
  const db = await SqliteDatabase.open(null, { now: 0, seed: '' });
  const bytes = db.serialize();
  db.close();
  const asked = { messages: [], seed: bytes, database: bytes, trajectory: null };
  const judged = code.judge(STORED, asked, { timeoutMs: 50 });
  if (expected === null) return expect(await judged).toMatchObject({ score: 1 });
  const failure = await judged.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(expected);
  expect((failure as Error).message).toBe('the reward did not answer within 0.05 s');
});
