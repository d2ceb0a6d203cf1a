import { z } from 'zod';
import { isMapping } from '../contracts/json.js';

/** One trial of one task, from any source. */
export interface RewardRow {
  task_id: string;
  /** Number of the trial within its task; it may start anywhere. */
  trial: number;
  /** Null where the trial could not be judged. */
  reward: number | null;
  /** Infrastructure error, unless it is null, false, 0, empty, or holds nothing else: such a row is never a score. */
  error?: unknown;
}

const rewardRowSchema = z.object({
  task_id: z.union([z.string(), z.number()]).transform(String),
  trial: z
    .number({
      error: ({ input }) => (input === undefined ? 'is missing; write 0 where a task has one' : undefined),
    })
    .int(),
  reward: z
    .number()
    .nullish()
    .transform((reward) => reward ?? null),
  error: z.unknown().optional(),
});

/**
 * Renames fields that have other names elsewhere: `id` of a row of `results.jsonl`, and what τ-bench writes with a reward
 * of 0 for a trial that an exception ended.
 */
function renamed(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const { id, info } = value;
  const isCrash = isMapping(info) && typeof info.traceback === 'string';
  return {
    ...(id === undefined ? {} : { task_id: id }),
    ...(isCrash ? { error: info.error || info.traceback } : {}),
    ...value,
  };
}

/**
 * Validates a row of parsed JSON, with `task_id` or else `id`, `trial`, and `reward` or `error`, or a `traceback` in
 * `info`; other fields are ignored. Throws TypeError that names the field.
 */
export function readRewardRow(value: unknown): RewardRow {
  const result = rewardRowSchema.safeParse(renamed(value));
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${path.join('.') || 'row'}: ${message}`);
    throw new TypeError(`not a row of task_id, trial and reward: ${faults.join('; ')}`);
  }
  const row = result.data;
  if (!isError(row) && row.reward === null)
    throw new TypeError('not a row of task_id, trial and reward: it has neither a reward nor an error');
  return row;
}

function isError({ error }: Pick<RewardRow, 'error'>): boolean {
  if (typeof error !== 'object' || error === null) return Boolean(error);
  return Object.values(error).some((part) => isError({ error: part }));
}

export interface JudgedRewards {
  /**
   * Rewards of each task with at least one judged trial: tasks in the order of their ids and their trials in order, so
   * that sums are equal to the last bit for any order of the rows.
   */
  byTask: Map<string, number[]>;
  judged: number;
  /** Rows left out because the trial was not judged. */
  errors: number;
  /** Number of tasks of which every row was left out. */
  tasks_without_rewards: number;
}

/**
 * Groups the judged rewards by task. Throws RangeError where a trial of a task was judged twice: two runs in one file
 * would look like more trials of one.
 */
export function judgedRewards(rows: Iterable<RewardRow>): JudgedRewards {
  const trials = new Map<string, Map<number, number>>();
  let errors = 0;
  for (const row of rows) {
    const task = trials.get(row.task_id) ?? new Map<number, number>();
    trials.set(row.task_id, task);
    if (isError(row) || row.reward === null) {
      errors += 1;
      continue;
    }
    if (task.has(row.trial)) throw new RangeError(`trial ${row.trial} of task ${row.task_id} is there twice`);
    task.set(row.trial, row.reward);
  }
  const judged = [...trials].filter(([, task]) => task.size > 0);
  judged.sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    byTask: new Map(judged.map(([id, task]) => [id, rewardsInOrder(task)])),
    judged: judged.reduce((sum, [, task]) => sum + task.size, 0),
    errors,
    tasks_without_rewards: trials.size - judged.length,
  };
}

function rewardsInOrder(trials: ReadonlyMap<number, number>): number[] {
  return [...trials].sort(([left], [right]) => left - right).map(([, reward]) => reward);
}
