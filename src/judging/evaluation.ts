import { ERROR_FIELD } from '../config/judge-schema.js';
import type { EpisodeError } from '../contracts/results.js';
import { LLMEvaluatedTrajectory } from '../trajectories/evaluated-trajectory.js';
import { LLMEvaluatedTimeStep } from '../trajectories/time-step.js';
import type { Trajectory } from '../trajectories/trajectory.js';
import { addScores, meanScores } from './totals.js';
import type { Verdict } from './verdict.js';

/** What came of a step: a verdict, why there is none, or nothing, because the judge did not get to it. */
export type StepEvaluation =
  | { kind: 'judged'; verdict: Verdict }
  | { kind: 'error'; error: EpisodeError }
  | { kind: 'open' };

/** Who judged, and by what. */
export interface Judge {
  model: string;
  rubric: string;
  criteria: readonly { name: string }[];
}

/**
 * A trajectory with the verdict on each step, by the names of the criteria; a step that could not be judged has an
 * `error` in its place, and one that was not got to has nothing. The trajectory as a whole has the means over its steps
 * with a verdict; nothing where no step was got to.
 */
export function judgedTrajectory(
  trajectory: Trajectory,
  evaluations: readonly StepEvaluation[],
  { model, rubric, criteria }: Judge,
): LLMEvaluatedTrajectory {
  const verdicts = evaluations.flatMap((one) => (one.kind === 'judged' ? [one.verdict] : []));
  const errors = evaluations.filter(({ kind }) => kind === 'error').length;
  const sums = verdicts.map(scoresOf).reduce(addScores, {});
  const scores = meanScores(
    criteria.map(({ name }) => name),
    { judged: verdicts.length, scores: sums },
  );
  return LLMEvaluatedTrajectory.fromTrajectory(trajectory, {
    timesteps: trajectory.timesteps.map((step, index) =>
      LLMEvaluatedTimeStep.fromTimeStep(step, responseOf(evaluations[index] ?? { kind: 'open' })),
    ),
    judge_response:
      verdicts.length + errors === 0
        ? null
        : { judge: model, rubric, steps_judged: verdicts.length, errors, scores },
  });
}

export function scoresOf(verdict: Verdict): Record<string, number> {
  return Object.fromEntries(Object.entries(verdict).map(([name, { score }]) => [name, score]));
}

function responseOf(evaluation: StepEvaluation) {
  if (evaluation.kind === 'open') return null;
  if (evaluation.kind === 'judged') return evaluation.verdict;
  return { [ERROR_FIELD]: { ...evaluation.error } };
}
