import type { Task } from '../../../contracts/environment.js';
import { drawExamples } from '../../../datasets/few-shot.js';
import { loadRows } from '../../../datasets/load.js';
import { tasksOf } from '../../../datasets/tasks.js';
import { type EnvironmentCode, environmentSource } from '../environment-code.js';
import type { RunConfig } from '../schema.js';

/** Fields of a config that determine its tasks. */
export type NamesTasks = Pick<RunConfig, 'dataset' | 'seed'> & {
  runtime: Pick<RunConfig['runtime'], 'max_envs_to_visit'>;
};

/** Options of reading a dataset. */
export interface Reading {
  /** Variables that say where datasets are downloaded from and stored. */
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Receives a note for people once all tasks were read: how targets are read if the config does not say. */
  notify?: (sentence: string) => void;
}

/**
 * Reads the tasks of a config, in the run's order.
 * @throws DatasetError that names the field and the row.
 */
export async function* datasetTasks(
  { dataset, runtime: { max_envs_to_visit }, seed }: NamesTasks,
  reading: Reading,
): AsyncGenerator<Task> {
  const mapping = { ...dataset, seed, max_envs_to_visit };
  const { few_shot } = dataset;
  const examples = few_shot === undefined ? null : await drawExamples(dataset, few_shot, mapping, reading);
  for await (const task of tasksOf(loadRows(dataset, reading), mapping, reading.notify)) {
    yield examples === null ? task : { ...task, examples: examples.for(task) };
  }
}

/**
 * Reads the tasks of a config, each checked by its environment.
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
 * Reads a local dataset from end to end, so that an invalid row is found before anything starts.
 * @returns notes for people.
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
    : checkedTasks(config, { ...reading, notify: (sentence) => void notes.push(sentence) }, code);
  for await (const _task of tasks);
  return notes;
}

async function* none(): AsyncGenerator<Task> {}
