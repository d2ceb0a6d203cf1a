import type { TaskRow } from '../../contracts/results.js';
import { answerOf } from '../../statistics/result-row.js';
import type { Comparable } from '../kind.js';
import { runConfigs } from './config.js';
import type { RunConfig } from './schema.js';

/** Comparison of runs: by whether answers are right, and by their rewards. */
export const runComparison: Comparable<TaskRow, RunConfig> = {
  pace: runConfigs.pace,
  // Where a success ends a sample's trials, their mean would count a late success as worse than none.
  figures: ({ runtime }) => (runtime.early_stop_on_success ? ['last'] : ['mean', 'last']),
  outcomeOf: (row) => {
    const { id, trial, question, target, targets, metadata, reward, feedback, error, seconds } = row;
    const scores = Object.entries(row.scores ?? {}).filter(
      (entry): entry is [string, number | boolean] => entry[1] !== null,
    );
    const isJudged = error === null && feedback !== null && reward !== null;
    return {
      id,
      trial,
      question,
      target: targets ?? target,
      metadata: metadata ?? {},
      answer: answerOf(row),
      scores: isJudged ? { correct: feedback.correct, reward, ...Object.fromEntries(scores) } : null,
      seconds,
    };
  },
};
