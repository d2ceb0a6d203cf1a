import type { RunConfig } from '../config/schema.js';
import type { Task } from '../contracts/environment.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { jsonLine } from '../storage/json-lines.js';
import { planKey } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { datasetTasks } from './dataset.js';
import type { StoredPlan } from './run-context.js';
import { TaskHash } from './task-hash.js';

async function hashOf(tasks: AsyncIterable<Task>): Promise<string> {
  const hash = new TaskHash();
  for await (const task of tasks) hash.add(jsonLine(task));
  return hash.digest();
}

/**
 * Whether a run's folder was made for the rows that its config names now: rows of two datasets make no figure. One that
 * does not tell was made for any.
 */
export async function holdsRows(
  store: ArtifactStore,
  config: RunConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const rows = (await readJson<Partial<StoredPlan>>(store, planKey()))?.rows;
  return rows === undefined || rows === (await hashOf(datasetTasks(config, { environment })));
}
