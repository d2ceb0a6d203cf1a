import { describe, expect, test } from 'vitest';
import {
  defineReward,
  goalHolds,
  InfrastructureError,
  RewardError,
  type RewardInput,
} from '../../../../src/kinds/agent-eval/bundles/index.js';
import { isReward } from '../../../../src/kinds/agent-eval/bundles/reward.js';
import { filled } from '../../../databases/support.js';
import { HOSTILE_THROWS } from '../../../support/hostile-throws.js';

const input = {} as RewardInput;

describe('defineReward', () => {
  test('passes a judgement on, and fills in what may be left out', async () => {
    const whole = { score: 0.5, reason: 'half', metrics: { paid: { score: 0, reason: 'not paid' } } };
    expect(await defineReward(async () => whole)(input)).toEqual(whole);
    expect(await defineReward(() => ({ score: 1 }))(input)).toEqual({ score: 1, reason: '', metrics: {} });
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'it is missing; it must be a mapping'],
    ['a number', 1, 'it must be a mapping, not 1'],
    ['no score', { reason: 'x' }, 'score: must be a finite number, not missing'],
    ['NaN', { score: Number.NaN }, 'score: must be a finite number, not NaN'],
    ['infinity', { score: Number.POSITIVE_INFINITY }, 'score: must be a finite number, not Infinity'],
    ['a score as text', { score: '1' }, 'score: must be a finite number, not "1"'],
    ['true', { score: true }, 'score: must be a finite number, not true'],
    ['a score without words', { score: Object.create(null) }, 'score: must be a finite number, not {}'],
    [
      'a field that throws',
      {
        get score() {
          throw Object.create(null);
        },
      },
      'cannot be put into words',
    ],
    ['a reason that is none', { score: 1, reason: 7 }, 'reason: must be a string, not 7'],
    ['bare metrics', { score: 1, metrics: { paid: 1 } }, 'metrics.paid: must be a mapping, not 1'],
    [
      'a metric without a score',
      { score: 1, metrics: { paid: {} } },
      'metrics.paid.score: must be a finite number',
    ],
  ])('refuses %s', async (_name, answer, message) => {
    const judged = defineReward(() => answer as never)(input);
    await expect(judged).rejects.toThrow(RewardError);
    await expect(judged).rejects.toThrow(message);
  });

  test('a reward that throws is an error, never a score', async () => {
    const judged = defineReward(() => {
      throw new Error('no table paid');
    })(input);
    await expect(judged).rejects.toThrow(RewardError);
    await expect(judged).rejects.toThrow('the reward failed: no table paid');
  });

  test.each(HOSTILE_THROWS)('which throws %s, is an error with words', async (_name, statement, said) => {
    const judged = await defineReward(new Function(statement) as never)(input).catch((error) => error);
    expect(judged).toBeInstanceOf(RewardError);
    expect((judged as Error).message).toMatch(said);
  });

  describe('that reads what the agent', () => {
    const SEED = `CREATE TABLE orders (id, qty, twice AS (id * 2)); CREATE TABLE "Old" (qty);
      CREATE TABLE "order items" (name); CREATE VIEW open AS SELECT id, id AS no FROM orders;
      INSERT INTO orders VALUES (1, 5)`;
    const OPEN = 'CREATE VIEW open AS SELECT id FROM orders';
    const judged = async (sql: string, change: string) => {
      const reward = defineReward(async ({ db }) => ({ score: (await goalHolds(db, sql)) ? 1 : 0 }));
      const ends = { seed: await filled(SEED), db: await filled(`${SEED}; ${change}`) };
      return reward(ends as Partial<RewardInput> as RewardInput).catch((error: Error) => error);
    };

    test.each([
      ['dropped', 'SELECT count(*) FROM orders', 'DROP VIEW open; DROP TABLE orders'],
      ['dropped from below a view', 'SELECT count(*) FROM open', 'DROP TABLE orders'],
      ['dropped as a view', 'SELECT count(*) FROM open', 'DROP VIEW open'],
      ['renamed', 'SELECT count(*) FROM "old"', 'ALTER TABLE "Old" RENAME TO older'],
      ['renamed as a column', 'SELECT o.qty FROM orders o', 'ALTER TABLE orders RENAME COLUMN qty TO amount'],
      ['dropped as a column', 'SELECT QTY = 5 FROM orders', 'ALTER TABLE orders DROP COLUMN qty'],
      ['made anew without it', 'SELECT qty FROM orders', 'DROP TABLE orders; CREATE TABLE orders (id)'],
      ['dropped, with a blank in its name', 'SELECT count(*) FROM "order items"', 'DROP TABLE "order items"'],
      ['dropped as a computed column', 'SELECT twice FROM orders', 'ALTER TABLE orders DROP COLUMN twice'],
      ['made anew as a view without it', 'SELECT no FROM open', `DROP VIEW open; ${OPEN}`],
    ])('%s is a score of 0', async (_what, sql, change) => {
      expect(await judged(sql, change)).toMatchObject({
        score: 0,
        reason: expect.stringContaining('no such'),
      });
    });

    test.each([
      ['never had', 'SELECT count(*) FROM ordres', 'DROP TABLE "Old"'],
      ['never had, as a column', 'SELECT amount FROM orders', 'DROP TABLE "Old"'],
      ['dropped elsewhere', 'SELECT count(*) FROM orders WHERE name = 1', 'DROP TABLE "order items"'],
      ['has left, wrongly', 'SELEC count(*) FROM orders', 'DROP TABLE orders'],
    ])('%s is an error', async (_what, sql, change) => {
      expect(await judged(sql, change)).toBeInstanceOf(RewardError);
    });
  });

  test('the infrastructure’s errors stay what they are', async () => {
    const unreachable = new InfrastructureError('the judge is unreachable');
    await expect(defineReward(() => Promise.reject(unreachable))(input)).rejects.toBe(unreachable);
  });

  test('is told from a bare function', () => {
    expect(isReward(defineReward(() => ({ score: 1 })))).toBe(true);
    expect(isReward(() => ({ score: 1 }))).toBe(false);
    expect(() => defineReward({} as never)).toThrow('defineReward takes a function');
  });
});

describe('goalHolds', () => {
  test.each([
    ['SELECT COUNT(*) > 0 FROM paid', true],
    ['SELECT COUNT(*) > 5 FROM paid', false],
    ['SELECT COUNT(*) FROM paid', true],
    ['SELECT 1 FROM paid WHERE who = 9', false],
    ['SELECT NULL', false],
    ['SELECT 0.0', false],
    ['SELECT 9007199254740993', true],
    ['SELECT -9223372036854775807 FROM paid', true],
  ])('%s: %s', async (sql, holds) => {
    const db = await filled('CREATE TABLE paid (who); INSERT INTO paid VALUES (1), (2)');
    expect(await goalHolds(db, sql)).toBe(holds);
  });

  test.each(['true', '1', ''])('a text is neither true nor false: %j', async (text) => {
    await expect(goalHolds(await filled(''), `SELECT '${text}'`)).rejects.toThrow(
      'must come to true or false',
    );
  });
});
