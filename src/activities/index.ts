import type {
  EnvironmentActivities,
  LanguageModelActivities,
  RunActivities,
} from '../contracts/activities.js';
import type { WorkerDependencies } from './dependencies.js';
import { createEnvironmentActivities } from './environments.js';
import { withFailures } from './failures.js';
import { createFinalizeRun } from './finalize-run.js';
import { createLanguageModelActivities } from './language-model.js';
import { createLoadMemory } from './load-memory.js';
import { createPrepareRun } from './prepare-run.js';
import { RunContexts } from './run-context.js';
import { createWritePart } from './write-part.js';

export type Activities = RunActivities & EnvironmentActivities & LanguageModelActivities;

/** Every activity of a worker, over what `workers/` hands in. */
export function createActivities(dependencies: WorkerDependencies): Activities {
  const runs = new RunContexts(dependencies);
  const activities = {
    prepareRun: createPrepareRun(runs, dependencies),
    loadMemory: createLoadMemory(runs, dependencies),
    writePart: createWritePart(runs, dependencies),
    finalizeRun: createFinalizeRun(runs, dependencies),
    ...createEnvironmentActivities(runs),
    ...createLanguageModelActivities(runs, dependencies),
  };
  return withFailures(activities, dependencies.notify);
}
