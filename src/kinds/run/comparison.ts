import type { ResultRow, TaskRow } from '../../contracts/results.js';
import type { Outcome } from '../../statistics/outcomes.js';
import { answerOf } from '../../statistics/result-row.js';
import type { Comparable } from '../kind.js';
import { runConfigs } from './config.js';
import type { RunConfig } from './schema.js';

/** Returns the scores of a row by name; null if it could not be judged. */
export function rowScores({ reward, feedback, error, scores }: ResultRow): Outcome['scores'] {
  if (error !== null || feedback === null || reward === null) return null;
  const named = Object.entries(scores ?? {}).filter(
    (entry): entry is [string, number | boolean] => entry[1] !== null,
  );
  return { correct: feedback.correct, reward, ...Object.fromEntries(named) };
}

/** Comparison of runs: by whether answers are right, and by their rewards. */
export const runComparison: Comparable<TaskRow, RunConfig> = {
  pace: runConfigs.pace,
  figures: ({ runtime: { num_trials, epochs, early_stop_on_success } }) => {
    // Epochs are independent: none of them is the last one.
    if (num_trials === 1 && epochs > 1) return ['mean'];
    // Where a success ends a sample's trials, their mean would count a late success as worse than none.
    return early_stop_on_success ? ['last'] : ['mean', 'last'];
  },
  outcomeOf: (row) => {
    const { id, trial, epoch, question, target, targets, metadata, seconds } = row;
    return {
      id,
      trial,
      ...(epoch === undefined ? {} : { epoch }),
      question,
      target: targets ?? target,
      metadata: metadata ?? {},
      answer: answerOf(row),
      scores: rowScores(row),
      seconds,
    };
  },
};
