import type { Comparable } from '../kind.js';
import { agentEvalConfigs } from './config.js';
import type { RolloutRow } from './contracts.js';
import type { AgentEvalConfig } from './schema.js';

/** Comparison of evaluations: by their rewards, and by each metric that a reward names. */
export const agentEvalComparison: Comparable<RolloutRow, AgentEvalConfig> = {
  pace: agentEvalConfigs.pace,
  // An evaluation that names no present time takes the one at which it begins.
  incidental: ['now'],
  // Rollouts are independent: none stands for the row.
  figures: () => ['mean'],
  outcomeOf: ({ task_id, trial, question, metadata, reason, ending, status, reward, metrics, seconds }) => ({
    id: task_id,
    trial,
    question: question ?? null,
    target: null,
    metadata: metadata ?? {},
    answer: reason ?? ending,
    scores:
      status !== 'done' || reward === null
        ? null
        : Object.fromEntries([
            ['reward', reward],
            ...Object.entries(metrics)
              .filter(([name]) => name !== 'reward')
              .map(([name, { score }]) => [name, score] as const),
          ]),
    seconds,
  }),
};
