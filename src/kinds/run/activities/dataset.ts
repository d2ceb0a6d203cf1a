import { dirname } from 'node:path';
import type { OpenStore } from '../../../activities/locate.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { Task } from '../../../contracts/environment.js';
import { drawExamples } from '../../../datasets/few-shot.js';
import { loadRows } from '../../../datasets/load.js';
import { type ReadTask, tasksOf } from '../../../datasets/tasks.js';
import type { OnUnreachable } from '../../../language-models/outage.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { copyArtifact } from '../../../storage/copy-artifact.js';
import { openStore } from '../../../storage/open.js';
import { readAhead } from '../../../storage/read-ahead.js';
import { readStoredConfig } from '../../../storage/stored-config.js';
import { readJson } from '../../../storage/stored-file.js';
import { type EnvironmentCode, environmentSource } from '../environment-code.js';
import { planKey } from '../paths.js';
import type { RunConfig } from '../schema.js';
import { otherAnswer } from '../scorers/model-graded.js';
import { storedImages } from './images.js';
import type { TaskPlan } from './run-context.js';
import { TaskReader } from './task-reader.js';

/** Fields of a config that determine its tasks. */
export type NamesTasks = Pick<RunConfig, 'dataset' | 'seed'> & {
  scorers?: RunConfig['scorers'];
  runtime: Pick<RunConfig['runtime'], 'max_envs_to_visit'>;
};

/** Options of reading a dataset. */
export interface Reading {
  /** Variables that say where datasets are downloaded from and stored. */
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Called with each failed attempt to reach the hub, and with null when it answers. */
  onUnreachable?: OnUnreachable;
  /** Opens the folder of another run; by default those of this machine and of S3. */
  openStore?: OpenStore;
  /** Folder of the experiment, for images of the rows; absent: they are only looked for. */
  images?: ArtifactStore;
  /** Receives a note for people once all tasks were read: how targets are read if the config does not say. */
  notify?: (sentence: string) => void;
}

/** Reads the tasks of another run, up to a number. @throws InvalidInputError if its folder holds none. */
async function* tasksOfRun(store: ArtifactStore, limit: number | null): AsyncGenerator<Task> {
  const [plan, config] = await Promise.all([
    readJson<TaskPlan>(store, planKey()),
    readStoredConfig(store) as Promise<RunConfig | null>,
  ]);
  if (plan === null || config === null)
    throw new InvalidInputError(`dataset.run: ${store.uri} is no folder of a run`, 'dataset.run');
  const count = plan.samples_planned / (config.runtime.epochs ?? 1);
  let left = limit ?? count;
  for await (const task of new TaskReader(store).all(count)) {
    if (left-- <= 0) return;
    yield task;
  }
}

/**
 * Reads the tasks of a config, in the run's order.
 * @throws DatasetError that names the field and the row.
 */
export async function* datasetTasks(
  { dataset, runtime: { max_envs_to_visit }, seed }: NamesTasks,
  reading: Reading,
): AsyncGenerator<Task> {
  if (dataset.run !== undefined) {
    const other = (reading.openStore ?? openStore)(dataset.run);
    for await (const task of tasksOfRun(other, max_envs_to_visit)) {
      for (const { key } of task.images ?? [])
        if (reading.images !== undefined)
          await copyArtifact({ store: other, key }, { store: reading.images, key });
      yield task;
    }
    return;
  }
  const mapping = { ...dataset, seed, max_envs_to_visit };
  const { few_shot } = dataset;
  const examples = few_shot === undefined ? null : await drawExamples(dataset, few_shot, mapping, reading);
  const folder = dataset.image_dir ?? dirname(dataset.dataset_path ?? '.');
  const images = { folder, store: reading.images, signal: reading.signal };
  const read = tasksOf(loadRows(dataset, reading), mapping, reading.notify);
  const whole = async ({ images: sources = [], ...row }: ReadTask): Promise<Task> => {
    const task = examples === null ? row : { ...row, examples: examples.for(row) };
    if (sources.length === 0) return task;
    return { ...task, images: await storedImages(task.id, sources, images) };
  };
  if (dataset.image_field === undefined) for await (const task of read) yield await whole(task);
  else yield* readAhead(read, whole);
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
  return code.checked(environmentSource(config), withOtherAnswers(config, datasetTasks(config, reading)));
}

/** Checks that every task has the answers that scorers compare with. @throws InvalidInputError that names the sample */
async function* withOtherAnswers(
  { scorers = {} }: NamesTasks,
  tasks: AsyncIterable<Task>,
): AsyncGenerator<Task> {
  const comparing = Object.entries(scorers).flatMap(([name, scorer]) =>
    scorer.type === 'model_graded' && scorer.compare_with !== undefined ? [[name, scorer] as const] : [],
  );
  for await (const task of tasks) {
    for (const [name, scorer] of comparing) {
      if (otherAnswer(scorer, task) !== null) continue;
      const field = `scorers.${name}.compare_with`;
      throw new InvalidInputError(
        `${field}: sample ${task.id} has no ${scorer.compare_with} to compare its answer with`,
        field,
      );
    }
    yield task;
  }
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
