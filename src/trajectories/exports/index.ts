import type { TrajectoryData } from '../schema.js';
import { type Conversation, chatsOf, conversationsOf } from './conversation.js';
import { isKept, type TrajectoryFilter } from './filters.js';
import { openAIRow } from './openai-finetune.js';
import { type ExportOptions, NO_COLUMNS, withColumnsOf } from './options.js';
import { ExportRefusedError } from './refusal.js';
import { shareGPTRow } from './sharegpt.js';
import { trlRow } from './trl.js';

export { isKept, isSuccessful, type TrajectoryFilter } from './filters.js';
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

/** Functions of each training format that divide a trajectory and make rows of the parts. */
const TRAINING_FORMATS: Record<
  Exclude<ExportFormat, 'trajectories'>,
  {
    partsOf: (trajectory: TrajectoryData) => Conversation[];
    rowOf: (part: Conversation, options: ExportOptions) => Record<string, unknown>;
  }
> = {
  'openai-finetune': { partsOf: conversationsOf, rowOf: openAIRow },
  sharegpt: { partsOf: conversationsOf, rowOf: shareGPTRow },
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
