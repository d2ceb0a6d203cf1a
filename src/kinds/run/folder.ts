import type { Task } from '../../contracts/environment.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import type { FoundExperiment } from '../../storage/experiment-folder.js';
import { foundFolder } from '../../storage/experiment-folder.js';
import { jsonLine } from '../../storage/json-lines.js';
import { readJson } from '../../storage/stored-file.js';
import { datasetTasks, type NamesTasks } from './activities/dataset.js';
import type { StoredPlan } from './activities/run-context.js';
import { TaskHash } from './activities/task-hash.js';
import { runConfigs } from './config.js';
import { planKey } from './paths.js';
import type { RunConfig } from './schema.js';

async function hashOf(tasks: AsyncIterable<Task>): Promise<string> {
  const hash = new TaskHash();
  for await (const task of tasks) hash.add(jsonLine(task));
  return hash.digest();
}

/**
 * True if a folder was made for the rows that its config names now: results of two datasets must not be mixed. A folder
 * without a hash fits any rows.
 */
export async function holdsRows(
  store: ArtifactStore,
  config: NamesTasks,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const rows = (await readJson<Partial<StoredPlan>>(store, planKey()))?.rows;
  return rows === undefined || rows === (await hashOf(datasetTasks(config, { environment })));
}

/** Finds the state of a run's folder. */
export function foundRun(
  store: ArtifactStore,
  id: string,
  config: RunConfig,
  environment: NodeJS.ProcessEnv,
): Promise<FoundExperiment<RunConfig>> {
  return foundFolder(store, id, config, runConfigs, () => holdsRows(store, config, environment));
}
