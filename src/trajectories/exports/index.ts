import { isSuccess } from '../../statistics/reward-statistics.js';
import { episodeReturn, isTruncated } from '../returns.js';
import type { TrajectoryData } from '../schema.js';
import { type Conversation, chatsOf, conversationsOf, withoutEmptyEnd } from './conversation.js';
import { openAIRow } from './openai-finetune.js';
import { type ExportOptions, NO_COLUMNS, withColumnsOf } from './options.js';
import { ExportRefusedError } from './refusal.js';
import { shareGPTRow } from './sharegpt.js';
import { trlRow } from './trl.js';

export {
  type ExportColumns,
  type ExportOptions,
  type ImagePathOf,
  NO_COLUMNS,
  withColumnsOf,
} from './options.js';

export const EXPORT_FORMATS = ['trajectories', 'openai-finetune', 'sharegpt', 'trl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A conversation that a format does not support. It is reported, and never written in part. */
export interface ExportRefusal {
  episode_id: string | null;
  /** Step and chat at its end, from 0. */
  step: number;
  chat: number;
  reason: string;
}

export interface ExportedRows {
  rows: Record<string, unknown>[];
  refused: ExportRefusal[];
}

const conversationsToTrain = (trajectory: TrajectoryData) => conversationsOf(trajectory).map(withoutEmptyEnd);

/** Functions of each training format that divide a trajectory and make rows of the parts. */
const TRAINING_FORMATS: Record<
  Exclude<ExportFormat, 'trajectories'>,
  {
    partsOf: (trajectory: TrajectoryData) => Conversation[];
    rowOf: (part: Conversation, options: ExportOptions) => Record<string, unknown>;
  }
> = {
  'openai-finetune': { partsOf: conversationsToTrain, rowOf: openAIRow },
  sharegpt: { partsOf: conversationsToTrain, rowOf: shareGPTRow },
  trl: { partsOf: chatsOf, rowOf: trlRow },
};

/** Exports a trajectory, an instance or data, to the rows of a format, and reports the parts that it refuses. */
export function exportRows(
  format: ExportFormat,
  trajectory: TrajectoryData,
  options: ExportOptions,
): ExportedRows {
  if (format === 'trajectories') {
    const plain: unknown = 'toJSON' in trajectory ? (trajectory.toJSON as () => unknown)() : trajectory;
    return { rows: [plain as Record<string, unknown>], refused: [] };
  }
  const exported: ExportedRows = { rows: [], refused: [] };
  const { partsOf, rowOf } = TRAINING_FORMATS[format];
  for (const part of partsOf(trajectory)) {
    try {
      exported.rows.push(rowOf(part, options));
    } catch (error) {
      if (!(error instanceof ExportRefusedError)) throw error;
      const { step, chat } = part;
      exported.refused.push({ episode_id: trajectory.episode_id, step, chat, reason: error.message });
    }
  }
  return exported;
}

export interface TrajectoryFilter {
  /** Minimum sum of rewards. */
  minimumReward?: number;
  /** True to keep only those with `isSuccessful`. */
  successful?: boolean;
  /** Least sum of rewards of a success, as the experiment has it; default 1. */
  successReward?: number;
  /** True to leave out those that an error ended. */
  withoutErrors?: boolean;
  /** True to leave out those that a limit or an error cut. */
  withoutTruncated?: boolean;
}

/**
 * Reports whether an episode succeeded: by `success` of its evaluation where it has one, otherwise where its rewards
 * sum to `successReward` or more. An episode that ended in an error did not.
 */
export function isSuccessful(trajectory: TrajectoryData, successReward = 1): boolean {
  if (trajectory.error_info !== null) return false;
  const { are_evaluation, judge_response } = trajectory as {
    are_evaluation?: Record<string, unknown>;
    judge_response?: Record<string, unknown> | null;
  };
  const success = are_evaluation?.success ?? judge_response?.success;
  if (typeof success === 'boolean') return success;
  if (typeof success === 'number') return isSuccess(success, 1);
  const reward = episodeReturn(trajectory);
  return reward !== null && isSuccess(reward, successReward);
}

/** Reports whether a filter keeps a trajectory. An unknown reward is below any minimum. */
export function isKept(trajectory: TrajectoryData, filter: TrajectoryFilter): boolean {
  if (filter.withoutErrors === true && trajectory.error_info !== null) return false;
  if (filter.withoutTruncated === true && isTruncated(trajectory)) return false;
  if (filter.successful === true && !isSuccessful(trajectory, filter.successReward)) return false;
  if (filter.minimumReward === undefined) return true;
  const reward = episodeReturn(trajectory);
  return reward !== null && isSuccess(reward, filter.minimumReward);
}

/** Returns an export's filter: training formats leave out episodes that an error ended by default. */
export function exportFilter(format: ExportFormat, given: TrajectoryFilter): TrajectoryFilter {
  return { ...given, withoutErrors: given.withoutErrors ?? format !== 'trajectories' };
}

/**
 * Exports trajectories that {@link exportFilter} keeps to the rows of a format. For many, call `isKept`,
 * `withColumnsOf` and `exportRows` one by one.
 */
export function exportTrajectories(
  format: ExportFormat,
  trajectories: readonly TrajectoryData[],
  { imagePath, ...given }: TrajectoryFilter & Pick<ExportOptions, 'imagePath'> = {},
): ExportedRows & { filtered: number } {
  const filter = exportFilter(format, given);
  const kept = trajectories.filter((trajectory) => isKept(trajectory, filter));
  const columns = kept.reduce(withColumnsOf, NO_COLUMNS);
  const exported = kept.map((trajectory) => exportRows(format, trajectory, { columns, imagePath }));
  return {
    rows: exported.flatMap(({ rows }) => rows),
    refused: exported.flatMap(({ refused }) => refused),
    filtered: trajectories.length - kept.length,
  };
}
