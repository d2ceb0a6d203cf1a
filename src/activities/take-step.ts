import type { StepAnswer } from '../contracts/activities.js';
import type { Json } from '../contracts/json.js';
import type { Environment } from '../environments/environment.js';
import { checkedOutcome } from '../environments/step-outcome.js';
import { ComparisonUnavailableError, GradingLimitError } from '../grading/grade.js';

/**
 * One step, as a lane needs it. What an environment throws, or answers in another form
 * than it must, is the episode's error: a retry would not mend it. After the
 * last step there is neither a state nor an observation.
 * @throws ComparisonUnavailableError, which a retry may mend.
 */
export async function takeStep(environment: Environment, state: Json, action: string): Promise<StepAnswer> {
  try {
    const { info, state: next, obs, ...given } = checkedOutcome(await environment.step(state, action));
    const isEmpty = Object.keys(info ?? {}).length === 0;
    const outcome = isEmpty ? given : { ...given, info };
    return outcome.done ? outcome : { ...outcome, state: next, obs };
  } catch (error) {
    if (error instanceof ComparisonUnavailableError) throw error;
    const { name, message } = error as Error;
    if (error instanceof GradingLimitError) return { error: { type: 'GradingLimit', message } };
    return { error: { type: 'EnvironmentError', message: `${name}: ${message}` } };
  }
}
