import { checkFile, type Permissions, withPermissions } from '../config/named-files.js';
import { isRemote, resolveLocation } from '../config/paths.js';
import { artifactsOf } from '../contracts/experiment.js';
import { runOf } from './with-owners.js';

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
export function forAnybody<Activities extends object>(
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
