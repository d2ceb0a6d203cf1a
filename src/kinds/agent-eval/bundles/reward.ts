import { z } from 'zod';
import { describeIssues } from '../../../config/describe-issues.js';
import type { Database } from '../../../contracts/database.js';
import { isInfrastructureError } from '../../../contracts/infrastructure-error.js';
import type { ChatMessage } from '../../../contracts/language-model.js';
import { asError, runAtOnce, runUserCode, shownValue } from '../../../contracts/run-user-code.js';
import type { Trajectory } from '../../../trajectories/trajectory.js';
import type { BundleRow } from './contracts.js';
import { isOfLostSchema } from './lost-schema.js';

/** Input of a reward: the end of a rollout. */
export interface RewardInput {
  /** The whole conversation: the row's initial messages, those of agent and user, and the results of tools. */
  messages: ChatMessage[];
  /** A copy of the database at the end. */
  db: Database;
  /** The database at the start, read-only, for comparison. */
  seed: Database;
  row: BundleRow;
  trajectory: Trajectory;
}

const score = z.custom<number>((value) => Number.isFinite(value), {
  error: ({ input }) => `must be a finite number, not ${input === undefined ? 'missing' : shownValue(input)}`,
});
const rewardOutputSchema = z.object({
  score,
  reason: z.string().default(''),
  metrics: z.record(z.string(), z.object({ score, reason: z.string().default('') })).default({}),
});

/**
 * Judgement. `score` is a finite number, 1 for a task that is done; each metric has a score and a reason of its own.
 */
export type RewardOutput = z.output<typeof rewardOutputSchema>;
/** Result of a reward function: reason and metrics can be left out. */
export type RewardAnswer = z.input<typeof rewardOutputSchema>;

/** Error of a reward function that failed or returned no valid judgement. The rollout then has no score. */
export class RewardError extends Error {
  override readonly name = 'RewardError';
}

const MARK = Symbol.for('reprise.reward');

/** A reward function whose results are checked. */
export interface Reward {
  /** @throws RewardError, or an infrastructure error. */
  (input: RewardInput): Promise<RewardOutput>;
  readonly [MARK]: true;
}

/**
 * Creates the reward of a bundle, which checks every result of the function. If it reads a table or column that the
 * agent dropped or renamed, the score is 0.
 */
export function defineReward(judge: (input: RewardInput) => RewardAnswer | Promise<RewardAnswer>): Reward {
  if (typeof judge !== 'function') {
    throw new TypeError('defineReward takes a function: defineReward(async ({ messages, db, row }) => …)');
  }
  const checked = async (input: RewardInput): Promise<RewardOutput> => {
    let answer: unknown;
    try {
      answer = await runUserCode(() => judge(input));
    } catch (error) {
      if (isInfrastructureError(error)) throw error;
      if (await isOfLostSchema(error, async () => input.seed)) {
        const reason = `the reward cannot read what the agent has left: ${(error as Error).message}`;
        return { score: 0, reason, metrics: {} };
      }
      throw new RewardError(`the reward failed: ${(error as Error).message}`, { cause: error });
    }
    return checkReward(answer);
  };
  return Object.assign(checked, { [MARK]: true as const });
}

/** @throws RewardError that names each invalid field. */
function checkReward(answer: unknown): RewardOutput {
  const faults = runAtOnce(() => {
    try {
      const read = rewardOutputSchema.safeParse(answer);
      if (read.success) return read.data;
      return describeIssues(read.error, answer, {}).map(({ field, message }) =>
        field === '' ? `it ${message}` : `${field}: ${message}`,
      );
    } catch (error) {
      // Reading a field of the answer may throw.
      return [asError(error).message];
    }
  });
  if (!Array.isArray(faults)) return faults;
  throw new RewardError(`the reward's answer is no { score, reason, metrics }: ${faults.join('; ')}`);
}

export function isReward(value: unknown): value is Reward {
  return typeof value === 'function' && MARK in value;
}

/**
 * Reports whether a goal is reached: the first value of the statement is a number other than 0.
 * @throws SqlError if the statement cannot be run; TypeError if its value is no number.
 */
export async function goalHolds(db: Database, sql: string): Promise<boolean> {
  const value = await db.fetchValue(sql);
  if (value === null || typeof value === 'number') return value !== null && value !== 0;
  // An integer that no number holds is a text here, and not 0.
  if (typeof value === 'string' && /^-?\d+$/.test(value) && !Number.isSafeInteger(Number(value))) return true;
  throw new TypeError(
    `a goal must come to true or false, such as SELECT COUNT(*) > 0 FROM …, not ${typeof value}`,
  );
}
