import { stat } from 'node:fs/promises';
import type { Example, Task } from '../contracts/environment.js';
import { LETTERS } from '../grading/choices.js';
import { createRandom } from '../statistics/random.js';
import { Smallest } from '../statistics/smallest.js';
import { DatasetError } from './dataset-error.js';
import { type DatasetSource, type LoadOptions, loadRows } from './load.js';
import { compilePromptTemplate } from './prompt-template.js';
import type { DatasetRow } from './row.js';
import { createTaskMapper, type TaskMapping } from './tasks.js';

/** Examples for prompts: `dataset.few_shot` of a config. Without a source, the dataset's own rows. */
export interface FewShot {
  /** Number of examples of a prompt, drawn by the seed. Default: all, in their order. */
  count?: number | undefined;
  items?: readonly unknown[] | undefined;
  dataset_path?: string | undefined;
  /** Another split of the dataset. */
  split?: string | undefined;
  /** Default: the config's. */
  seed?: number | undefined;
  /** Template of the answer: fields of the row, and `{answer}`. Default: the right answer. */
  answer_template?: string | undefined;
}

/** Maximum number of examples of a prompt. */
export const MAX_EXAMPLES = 100;
const FIELD = 'dataset.few_shot';

interface Candidate extends Example {
  /** Question, for comparison. */
  key: string;
}

/**
 * Examples that prompts show, one fixed set: the same for every sample, but for a sample that is one of them, or asks the
 * same, in whose place the next one is shown.
 */
export class FewShotExamples {
  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly count: number,
    /** True if equal ids mean the same sample. */
    private readonly comparesIds: boolean,
  ) {}

  for(sample: Pick<Task, 'id' | 'question'>): Example[] {
    const key = keyOf(sample);
    return this.candidates
      .filter((one) => one.key !== key && !(this.comparesIds && one.task.id === sample.id))
      .slice(0, this.count)
      .map(({ task, answer }) => ({ task, answer }));
  }
}

/**
 * Draws the examples of a dataset's prompts.
 * @throws DatasetError that names the row, and if there are too few.
 */
export async function drawExamples(
  dataset: DatasetSource,
  fewShot: FewShot,
  mapping: TaskMapping,
  options: LoadOptions,
): Promise<FewShotExamples> {
  const { count, items, dataset_path, split, seed = mapping.seed ?? 0 } = fewShot;
  const isOwn = items === undefined && dataset_path === undefined && split === undefined;
  const rows = loadRows(await sourceOf(dataset, fewShot), { ...options, notify: undefined });
  const read = exampleReader(fewShot, mapping);
  const comparesIds = isOwn || Boolean(mapping.id_field);
  if (count === undefined) return new FewShotExamples(await allOf(rows, read), MAX_EXAMPLES, comparesIds);

  const keys = new Set<string>();
  // A sample may have the id of one of them, and the question of another.
  const drawn = new Smallest<Candidate>(count + 2, ({ key }) => keys.delete(key));
  let fault: unknown = new DatasetError('there are no rows for examples', FIELD);
  let position = 0;
  for await (const row of rows) {
    try {
      const candidate = read(row, position++);
      if (keys.has(candidate.key)) continue;
      keys.add(candidate.key);
      drawn.add(createRandom(`few-shot:${seed}:${candidate.key}`)(), candidate);
    } catch (error) {
      // A row that cannot be read is not drawn.
      if (position === 1) fault = error;
    }
  }
  const candidates = drawn.kept();
  if (candidates.length === 0) throw fault;
  const others = candidates.length - (isOwn ? 1 : 0);
  if (others < count) {
    throw new DatasetError(
      `${FIELD}.count: ${count} examples are wanted, and there are only ${others}${isOwn ? ' other questions in the dataset' : ''}`,
      `${FIELD}.count`,
    );
  }
  return new FewShotExamples(candidates, count, comparesIds);
}

async function allOf(
  rows: AsyncIterable<DatasetRow>,
  read: (row: DatasetRow, position: number) => Candidate,
): Promise<Candidate[]> {
  const all: Candidate[] = [];
  for await (const row of rows) {
    if (all.length === MAX_EXAMPLES) {
      throw new DatasetError(
        `${FIELD}.count: is missing, and there are more than ${MAX_EXAMPLES} rows; say how many examples a prompt shows`,
        `${FIELD}.count`,
      );
    }
    all.push(read(row, all.length));
  }
  if (all.length > 0) return all;
  throw new DatasetError(`there are no rows for examples (${FIELD})`, FIELD);
}

/** Returns the source of the examples' rows. @throws DatasetError for a split of a file that has none. */
async function sourceOf(
  dataset: DatasetSource,
  { items, dataset_path, split }: FewShot,
): Promise<DatasetSource> {
  if (items !== undefined) return { items };
  if (dataset_path !== undefined) return { dataset_path };
  if (split === undefined) return dataset;
  const field = `${FIELD}.split`;
  const { dataset_path: path } = dataset;
  // A file in which the dataset is a split has others.
  const isFile = path
    ? !dataset.split && !(await stat(path).catch(() => null))?.isDirectory()
    : !dataset.hf_name;
  if (isFile) {
    throw new DatasetError(
      `${field}: the dataset is not one with splits; name a file of examples in ${FIELD}.dataset_path`,
      field,
    );
  }
  return { ...dataset, split };
}

/** Creates the function that makes an example of a row. Its errors say that the row is one of the examples. */
function exampleReader(
  { answer_template: template = '{answer}' }: FewShot,
  mapping: TaskMapping,
): (row: DatasetRow, position: number) => Candidate {
  const mapRow = createTaskMapper(mapping);
  const format = compilePromptTemplate(template, mapping.input_field, `${FIELD}.answer_template`);
  return (row, position) => {
    try {
      // Examples are texts.
      const { images: _images, ...task } = mapRow(row, position);
      return { task, key: keyOf(task), answer: format(row, position + 1, { answer: answerOf(task) }) };
    } catch (error) {
      if (!(error instanceof DatasetError)) throw error;
      throw new DatasetError(`${FIELD}, ${error.message}`, error.field, { cause: error });
    }
  };
}

/** Returns the right answer as a model gives it: of a multiple choice, its letter; of several that are all wanted, all. */
function answerOf({ target, targets, target_match, right_choices }: Task): string {
  const answers =
    right_choices === undefined
      ? (targets ?? (target === null ? [] : [target]))
      : right_choices.map((position) => LETTERS[position] as string);
  if (answers.length === 0)
    throw new DatasetError(
      'a row has no right answer to show (dataset.target_field)',
      'dataset.target_field',
    );
  return target_match === 'all' ? answers.join(', ') : (answers[0] as string);
}

/** Returns a question for comparison, without regard to case and spaces. */
function keyOf({ question }: Pick<Task, 'question'>): string {
  return question.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
