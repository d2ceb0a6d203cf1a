import type { ResetOutcome, StepAnswer } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import { messageWithPlace } from '../../contracts/place-of-error.js';
import type { EpisodeError } from '../../contracts/results.js';
import { runUserCode } from '../../contracts/run-user-code.js';
import type { Environment } from '../../environments/environment.js';
import { checkedBegin, checkedOutcome } from '../../environments/step-outcome.js';
import { ComparisonUnavailableError, GradingLimitError } from '../../grading/grade.js';

/** Factory of an environment, and the file of its class if that is a user's. */
export interface MadeEnvironment {
  make(): Environment;
  file?: string | undefined;
}

/**
 * Runs code of an environment. What it throws, or returns in the wrong form, is the episode's error: a retry would not
 * fix it.
 * @throws ComparisonUnavailableError, which a retry may fix.
 */
async function orProblem<Answer>(
  { make, file }: MadeEnvironment,
  work: (environment: Environment) => Promise<Answer>,
): Promise<Answer | { error: EpisodeError }> {
  try {
    return await runUserCode(() => work(make()));
  } catch (thrown) {
    if (thrown instanceof ComparisonUnavailableError) throw thrown;
    const error = thrown as Error;
    if (error instanceof GradingLimitError)
      return { error: { type: 'GradingLimit', message: error.message } };
    const message = `${error.name}: ${messageWithPlace(error, file)}`;
    return { error: { type: 'EnvironmentError', message } };
  }
}

/** Begins an episode. Returns its first state and observation, or why it could not begin. */
export function beginEpisode(made: MadeEnvironment): Promise<ResetOutcome | { error: EpisodeError }> {
  return orProblem(made, async (environment) => checkedBegin(await environment.reset()));
}

/**
 * Takes one step, as a lane needs it. After the last step there is neither a state nor an observation.
 * @throws ComparisonUnavailableError, which a retry may fix.
 */
export function takeStep(made: MadeEnvironment, state: Json, action: string): Promise<StepAnswer> {
  return orProblem(made, async (environment) => {
    const { info, state: next, obs, ...given } = checkedOutcome(await environment.step(state, action));
    const isEmpty = Object.keys(info ?? {}).length === 0;
    const outcome = isEmpty ? given : { ...given, info };
    return outcome.done ? outcome : { ...outcome, state: next, obs };
  });
}
