import { checkFile, type Permissions, withPermissions } from '../config/named-files.js';
import { isRemote, resolveLocation } from '../config/paths.js';
import { artifactsOf } from '../contracts/experiment.js';
import type { WorkerDependencies } from './dependencies.js';
import { withFailures } from './failures.js';
import { ModelCalls } from './model-calls.js';
import type { CreateActivities, Traits } from './traits.js';
import { runOf, withOwners } from './with-owners.js';
import { withSuspects } from './with-suspects.js';

/** Checks the folder that an activity is given, like one that a config names. */
function checkRun(input: unknown): void {
  const run = runOf(input);
  if (run === null) return;
  const place = resolveLocation(artifactsOf(run), process.cwd());
  if (!isRemote(place)) checkFile('run', place, 'write');
}

/**
 * Wraps every activity of a worker: anybody who reaches the server may start a workflow and give any input to an
 * activity, so all that an activity reads, runs and writes is checked against the worker's permissions.
 */
function forAnybody<Activities extends object>(
  activities: Activities,
  permissions: Permissions | undefined,
): Activities {
  if (permissions === undefined) return activities;
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    (...input: unknown[]) =>
      withPermissions(permissions, async () => {
        checkRun(input[0]);
        return (activity as (...input: unknown[]) => Promise<unknown>)(...input);
      }),
  ]);
  return Object.fromEntries(wrapped) as Activities;
}

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
