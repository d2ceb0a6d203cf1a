import type { Task } from '../contracts/environment.js';
import type { JsonObject } from '../contracts/json.js';
import { createRandom, shuffled } from '../statistics/random.js';
import { readChoices } from './choices.js';
import { DatasetError } from './dataset-error.js';
import { kindAt, requiredValue, scalarText, valueAt } from './fields.js';
import { compilePromptTemplate, type PromptFormatter } from './prompt-template.js';
import { plainJson, type Row } from './row.js';

/** How rows become tasks: the fields of the config's `dataset`, its `seed` and `runtime.max_envs_to_visit`. */
export interface TaskMapping {
  task_type: 'exact' | 'numeric' | 'mcq' | 'custom';
  input_field: string;
  target_field?: string | null;
  choices_field?: string | readonly string[] | null;
  id_field?: string | null;
  meta_fields?: readonly string[];
  prompt_template?: string | null;
  shuffle?: boolean;
  seed?: number;
  max_envs_to_visit?: number | null;
}

const MAXIMUM_ID_LENGTH = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Turns rows into tasks, in order, or shuffled by the seed, and at most `max_envs_to_visit` of them. Without a shuffle
 * it streams, and reads no further row than it needs; with one, it holds every task.
 * @throws DatasetError that names the config's field and the row.
 */
export async function* tasksOf(
  rows: AsyncIterable<Row> | Iterable<Row>,
  mapping: TaskMapping,
): AsyncGenerator<Task> {
  const limit = mapping.max_envs_to_visit ?? Number.POSITIVE_INFINITY;
  if (!mapping.shuffle) {
    if (limit > 0) yield* mappedInOrder(rows, mapping, limit);
    return;
  }
  const tasks: Task[] = [];
  for await (const task of mappedInOrder(rows, mapping, Number.POSITIVE_INFINITY)) tasks.push(task);
  const order = shuffled(tasks, createRandom(`rows:${mapping.seed ?? 0}`));
  for (const [index, task] of order.slice(0, limit).entries()) yield { ...task, index };
}

async function* mappedInOrder(
  rows: AsyncIterable<Row> | Iterable<Row>,
  mapping: TaskMapping,
  limit: number,
): AsyncGenerator<Task> {
  const mapRow = createTaskMapper(mapping);
  const rowOfId = new Map<string, number>();
  let index = 0;
  for await (const row of rows) {
    const task = mapRow(row, index);
    if (mapping.id_field) {
      const former = rowOfId.get(task.id);
      if (former !== undefined) throw duplicateId(task.id, former, index + 1, mapping.id_field);
      rowOfId.set(task.id, index + 1);
    }
    yield task;
    index += 1;
    if (index >= limit) return;
  }
  if (index === 0) throw new DatasetError('the dataset has no rows', 'dataset');
}

/** Maps one row at its position (from 0) in the dataset; the task's `index` is that position. */
export function createTaskMapper(mapping: TaskMapping): (row: Row, index: number) => Task {
  const format = mapping.prompt_template
    ? compilePromptTemplate(mapping.prompt_template, mapping.input_field)
    : null;
  return (row, index) => {
    // Rows are counted from 1 in messages, as an editor counts lines.
    const rowNumber = index + 1;
    const id = mapping.id_field ? idOf(row, rowNumber, mapping.id_field) : String(index);
    const task: Task = {
      index,
      id,
      question: questionOf(row, rowNumber, mapping, format),
      target: null,
      metadata: metadataOf(row, rowNumber, mapping.meta_fields ?? []),
    };
    if (mapping.choices_field) {
      const choices = { ...mapping, choices_field: mapping.choices_field };
      const set = readChoices(row, rowNumber, id, choices);
      task.choices = set.choices;
      if (set.target !== undefined) return { ...task, target: set.target };
    }
    return { ...task, target: targetOf(row, rowNumber, mapping) };
  };
}

function questionOf(
  row: Row,
  rowNumber: number,
  mapping: TaskMapping,
  format: PromptFormatter | null,
): string {
  if (format !== null) return format(row, rowNumber);
  const field = 'dataset.input_field';
  const value = requiredValue(row, mapping.input_field, field, rowNumber);
  const text = scalarText(value);
  if (text === undefined) {
    throw new DatasetError(
      `row ${rowNumber}: '${mapping.input_field}' (${field}) is ${kindAt(row, mapping.input_field)}, not a text; a prompt_template can put fields into words`,
      field,
    );
  }
  if (text.trim() === '' && mapping.task_type !== 'custom') {
    throw new DatasetError(`row ${rowNumber}: '${mapping.input_field}' (${field}) is empty`, field);
  }
  return text;
}

/** A `custom` environment may need no target, so there neither a missing field nor an empty one is an error. */
function targetOf(row: Row, rowNumber: number, mapping: TaskMapping): string | null {
  const field = 'dataset.target_field';
  const custom = mapping.task_type === 'custom';
  const path = mapping.target_field;
  if (!path) {
    if (custom) return null;
    throw new DatasetError(`task_type ${mapping.task_type} needs a target_field (${field})`, field);
  }
  const value = custom ? (valueAt(row, path) ?? null) : requiredValue(row, path, field, rowNumber);
  const text = scalarText(value);
  if (custom && value === null) return null;
  if (text === undefined) {
    const hint = Array.isArray(value) ? `; name one of its items, as in '${path}.0'` : '';
    throw new DatasetError(
      `row ${rowNumber}: '${path}' (${field}) is ${kindAt(row, path)}, not a text${hint}`,
      field,
    );
  }
  if (text.trim() === '' && !custom)
    throw new DatasetError(`row ${rowNumber}: '${path}' (${field}) is empty`, field);
  return text;
}

function idOf(row: Row, rowNumber: number, path: string): string {
  const field = 'dataset.id_field';
  const value = requiredValue(row, path, field, rowNumber);
  const id = scalarText(value);
  const fault =
    id === undefined
      ? `is ${kindAt(row, path)}, not a text or a number`
      : id.trim() === ''
        ? 'is empty'
        : id.length > MAXIMUM_ID_LENGTH
          ? `has ${id.length} characters; an id has at most ${MAXIMUM_ID_LENGTH}`
          : CONTROL_CHARACTERS.test(id)
            ? `has a line break or another control character: ${JSON.stringify(id)}`
            : null;
  if (id === undefined || fault !== null) {
    throw new DatasetError(`row ${rowNumber}: '${path}' (${field}) ${fault}`, field);
  }
  return id;
}

function duplicateId(id: string, former: number, rowNumber: number, path: string): DatasetError {
  return new DatasetError(
    `rows ${former} and ${rowNumber} have the same id ${JSON.stringify(id)} in '${path}' (dataset.id_field); ids must be unique: choose another field, or leave id_field out to number the rows`,
    'dataset.id_field',
  );
}

function metadataOf(row: Row, rowNumber: number, paths: readonly string[]): JsonObject {
  return Object.fromEntries(
    paths.map((path) => [path, plainJson(requiredValue(row, path, 'dataset.meta_fields', rowNumber))]),
  );
}
