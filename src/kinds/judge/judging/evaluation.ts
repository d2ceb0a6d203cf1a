import type { EpisodeError } from '../../../contracts/results.js';
import { LLMEvaluatedTrajectory } from '../../../trajectories/evaluated-trajectory.js';
import { LLMEvaluatedTimeStep } from '../../../trajectories/time-step.js';
import type { Trajectory } from '../../../trajectories/trajectory.js';
import type { Criterion } from '../schema.js';
import { ERROR_FIELD } from './fields.js';
import { addScores, meanScores } from './totals.js';
import type { EpisodeVerdict, Verdict } from './verdict.js';

/** Evaluation of a step: a verdict, an error, or `open` if the judge did not reach the step. */
export type StepEvaluation =
  | { kind: 'judged'; verdict: Verdict; episode?: EpisodeVerdict }
  | { kind: 'error'; error: EpisodeError }
  | { kind: 'open' };

/** Judging model, and the rubric's name and criteria. */
export interface Judge {
  model: string;
  rubric: string;
  criteria: readonly Pick<Criterion, 'name' | 'range'>[];
}

/**
 * Adds the judge's responses to a trajectory. Each step gets its verdict by the names of the criteria, its `error` if
 * it could not be judged, or null if it was not reached. The trajectory gets the means over its steps with a verdict,
 * and the verdict on the whole episode; null if no step was reached.
 */
export function judgedTrajectory(
  trajectory: Trajectory,
  evaluations: readonly StepEvaluation[],
  { model, rubric, criteria }: Judge,
): LLMEvaluatedTrajectory {
  const verdicts = evaluations.flatMap((one) => (one.kind === 'judged' ? [one.verdict] : []));
  const errors = evaluations.filter(({ kind }) => kind === 'error').length;
  const sums = verdicts.map(verdictScores).reduce(addScores, {});
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
        : {
            judge: model,
            rubric,
            steps_judged: verdicts.length,
            errors,
            scores,
            ...wholeOf(trajectory, evaluations, { criteria, scores }),
          },
  });
}

/**
 * Decides whether the whole episode was a success, and why: as the judge said with the last step. If the judge did not
 * say, the scores decide, provided that every step has some: the mean of each criterion must be in the upper half of
 * its range.
 */
function wholeOf(
  { timesteps }: Trajectory,
  evaluations: readonly StepEvaluation[],
  { criteria, scores }: Pick<Judge, 'criteria'> & { scores: Readonly<Record<string, number | null>> },
): { success?: boolean; success_from?: 'judge' | 'scores'; rationale: string } {
  const last = evaluations[timesteps.length - 1];
  const verdict = last?.kind === 'judged' ? last.verdict : null;
  if (last?.kind === 'judged' && last.episode !== undefined)
    return { ...last.episode, success_from: 'judge' };
  const judged = evaluations.filter(({ kind }) => kind === 'judged').length;
  if (verdict === null || judged < timesteps.length) {
    return {
      rationale: `Not judged as a whole: ${timesteps.length - judged} of ${timesteps.length} steps have no verdict.`,
    };
  }
  const success = criteria.every(({ name, range: [lowest, highest] }) => {
    return (scores[name] ?? lowest) >= lowest / 2 + highest / 2;
  });
  const reasons = criteria.map(({ name }) => `${name} ${scores[name]}: ${verdict[name]?.reason ?? ''}`);
  const rationale = `From the scores, as the judge did not say: their means, and its reasons for the last step. ${reasons.join(' ')}`;
  return { success, success_from: 'scores', rationale };
}

export function verdictScores(verdict: Verdict): Record<string, number> {
  return Object.fromEntries(Object.entries(verdict).map(([name, { score }]) => [name, score]));
}

function responseOf(evaluation: StepEvaluation) {
  if (evaluation.kind === 'open') return null;
  if (evaluation.kind === 'judged') return evaluation.verdict;
  return { [ERROR_FIELD]: { ...evaluation.error } };
}
