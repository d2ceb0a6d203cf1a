import type { WorkerDependencies } from './dependencies.js';
import { withFailures } from './failures.js';
import { forAnybody } from './for-anybody.js';
import { ModelCalls } from './model-calls.js';
import type { CreateActivities, Traits } from './traits.js';
import { withOwners } from './with-owners.js';
import { withSuspects } from './with-suspects.js';

/** Creates all activities of a worker. @param kinds creators of the activities of each kind of experiment */
export function createActivities(
  dependencies: WorkerDependencies,
  kinds: readonly CreateActivities[],
): Record<string, (...input: never[]) => Promise<unknown>> {
  const models = new ModelCalls(dependencies);
  const created = kinds.map((create) => create(dependencies, models));
  const activities = Object.assign({}, ...created.map((one) => one.activities));
  const traits: Traits = Object.assign({}, ...created.map((one) => one.traits));
  const permitted = forAnybody(withOwners(activities, dependencies, traits), dependencies.permissions);
  // Failures are outermost, since they convert a refused permission; that is a failure like any other, and no crash.
  return withFailures(withSuspects(permitted, traits), dependencies, traits);
}
