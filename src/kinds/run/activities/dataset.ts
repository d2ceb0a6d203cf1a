import type { Task } from '../../../contracts/environment.js';
import { loadRows } from '../../../datasets/load.js';
import { tasksOf } from '../../../datasets/tasks.js';
import { type EnvironmentCode, environmentSource } from '../environment-code.js';
import type { RunConfig } from '../schema.js';

/** What of a config says which tasks there are. */
export type NamesTasks = Pick<RunConfig, 'dataset' | 'seed'> & {
  runtime: Pick<RunConfig['runtime'], 'max_envs_to_visit'>;
};

/** How a dataset is read. */
export interface Reading {
  /** Names where datasets are downloaded from and kept. */
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Hears, when all tasks were read, what is to be said of them: how targets are read where nothing tells. */
  notice?: (sentence: string) => void;
}

/**
 * The tasks of a config, in the run's order.
 * @throws DatasetError that names the field and the row.
 */
export function datasetTasks({ dataset, runtime, seed }: NamesTasks, reading: Reading): AsyncIterable<Task> {
  const { max_envs_to_visit } = runtime;
  return tasksOf(loadRows(dataset, reading), { ...dataset, seed, max_envs_to_visit }, reading.notice);
}

/**
 * The same, each checked by its environment.
 * @throws InvalidInputError or DatasetError that names the field and the row.
 */
export function checkedTasks(
  config: NamesTasks,
  reading: Reading,
  code: EnvironmentCode,
): AsyncIterable<Task> {
  return code.checked(environmentSource(config), datasetTasks(config, reading));
}

/**
 * Reads a dataset that lies on this machine from end to end, so that a bad row is found before anything starts.
 * @returns what is to be said of it.
 */
export async function checkDataset(
  config: NamesTasks,
  reading: Reading,
  code: EnvironmentCode,
): Promise<string[]> {
  const notes: string[] = [];
  const isElsewhere = config.dataset.hf_name !== undefined;
  const tasks = isElsewhere
    ? code.checked(environmentSource(config), none())
    : checkedTasks(config, { ...reading, notice: (sentence) => void notes.push(sentence) }, code);
  for await (const _task of tasks);
  return notes;
}

async function* none(): AsyncGenerator<Task> {}
