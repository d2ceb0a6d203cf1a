import { InvalidInputError } from '../config/errors.js';
import type { RunConfig } from '../config/schema.js';
import type { Task } from '../contracts/environment.js';
import { loadRows } from '../datasets/load.js';
import { tasksOf } from '../datasets/tasks.js';
import type { EnvironmentServices } from '../environments/environment.js';
import { environmentName } from '../environments/registry.js';
import { environmentOptions } from './run-context.js';
import { environmentClass } from './user-modules.js';

/** Validation compares nothing. */
const NO_SERVICES: EnvironmentServices = { compareSymbolically: async () => undefined };

/**
 * The tasks of a config, in the run's order, each checked by its environment.
 * @throws InvalidInputError or DatasetError that names the field and the row.
 */
export async function* datasetTasks(
  config: RunConfig,
  environment: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): AsyncGenerator<Task> {
  const { dataset, runtime, seed } = config;
  const environmentType = await environmentClass(environmentName(dataset), dataset.env_file);
  const settings = environmentOptions(config);
  const rows = loadRows(dataset, { environment, ...(signal === undefined ? {} : { signal }) });
  for await (const task of tasksOf(rows, {
    ...dataset,
    seed,
    max_envs_to_visit: runtime.max_envs_to_visit,
  })) {
    try {
      new environmentType(task, settings, NO_SERVICES).validate?.();
    } catch (error) {
      throw new InvalidInputError(`${(error as Error).message} (sample ${task.id})`, 'dataset');
    }
    yield task;
  }
}

/** Reads a dataset that lies on this machine from end to end, so that a bad row is found before anything starts. */
export async function checkDataset(
  config: RunConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (config.dataset.hf_name !== undefined) {
    await environmentClass(environmentName(config.dataset), config.dataset.env_file);
    return;
  }
  for await (const _task of datasetTasks(config, environment));
}
