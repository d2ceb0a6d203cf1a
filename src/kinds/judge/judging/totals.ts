import { addStep, noStepCost } from '../../../runtime/step-cost.js';
import { addErrors } from '../../../statistics/error-tally.js';
import { sumOf } from '../../../statistics/sums.js';
import type { JudgedStep, JudgeTotals } from '../contracts.js';

export function noJudgeTotals(): JudgeTotals {
  return { ...noStepCost(), judged: 0, errors: 0, malformed: 0, scores: {} };
}

export function addReply(totals: JudgeTotals, reply: JudgedStep): JudgeTotals {
  const after = addStep(totals, reply);
  if (reply.kind === 'malformed') return { ...after, malformed: totals.malformed + 1 };
  return { ...after, judged: totals.judged + 1, scores: addScores(totals.scores, reply.scores) };
}

/** Adds the totals of other steps. */
export function addJudged(left: JudgeTotals, right: JudgeTotals): JudgeTotals {
  return {
    ...addStep(left, right),
    judged: left.judged + right.judged,
    ...addErrors(left, right),
    malformed: left.malformed + right.malformed,
    scores: addScores(left.scores, right.scores),
  };
}

/** Adds scores to sums, by the criterion's name. */
export function addScores(
  sums: Readonly<Record<string, number>>,
  scores: Readonly<Record<string, number>>,
): Record<string, number> {
  const added = Object.entries(scores).map(([name, score]) => [name, sumOf([sums[name] ?? 0, score])]);
  return { ...sums, ...Object.fromEntries(added) };
}

/** Computes the mean of each criterion; null if nothing was judged. */
export function meanScores(
  names: readonly string[],
  { judged, scores }: Pick<JudgeTotals, 'judged' | 'scores'>,
): Record<string, number | null> {
  return Object.fromEntries(names.map((name) => [name, judged === 0 ? null : (scores[name] ?? 0) / judged]));
}
