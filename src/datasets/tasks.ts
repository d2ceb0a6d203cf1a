import { conversationText } from '../contracts/conversation.js';
import type { Task } from '../contracts/environment.js';
import type { JsonObject } from '../contracts/json.js';
import type { ChatMessage } from '../contracts/language-model.js';
import { printsChoices } from '../grading/choices.js';
import { createRandom, shuffled } from '../statistics/random.js';
import { type Choice, type ChoiceMapping, readChoices } from './choices.js';
import { readConversation } from './conversation.js';
import { DatasetError } from './dataset-error.js';
import { fieldNames, kindAt, leftOut, requiredValue, scalarText, valueAt } from './fields.js';
import { type ImageSource, imagesOfRow } from './images.js';
import { compilePromptTemplate, type PromptFormatter } from './prompt-template.js';
import { type Cell, type DatasetRow, plainJson } from './row.js';
import { type PlacedRow, type RowSelection, selectedRows } from './selection.js';
import { TargetSurvey } from './target-survey.js';
import { acceptedAnswers, noChoice, rightChoices, type TargetPlace, type TargetRules } from './targets.js';

/** Mapping of rows to tasks: the fields of the config's `dataset`, its `seed` and `runtime.max_envs_to_visit`. */
export interface TaskMapping extends ChoiceMapping, TargetRules {
  task_type: 'exact' | 'numeric' | 'mcq' | 'custom';
  env_class?: string;
  env_file?: string;
  input_field: string;
  /** Field of the images that come with the question, or several, in their order. */
  image_field?: string | readonly string[] | null;
  target_field?: string | null;
  /** Default: true where `target_field` is one of the choices' fields, or a position in their list. */
  shuffle_choices?: boolean | null;
  id_field?: string | null;
  meta_fields?: readonly string[];
  prompt_template?: string | null;
  /** Template of a system message, for rows that have none of their own. */
  system?: string | null | undefined;
  select?: RowSelection | undefined;
  shuffle?: boolean;
  seed?: number;
  max_envs_to_visit?: number | null;
}

/** Task as its row has it: its images are not stored yet. */
export type ReadTask = AskedTask & { images?: ImageSource[] };

type AskedTask = Omit<Task, 'images'>;

/** Maximum number of rows beyond the limit, or excluded by the selection, that are read for the base of the targets. */
const MAX_BEYOND = 1000;
const MAXIMUM_ID_LENGTH = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Turns the selected rows into tasks, in order or shuffled by the seed, and at most `max_envs_to_visit` of them. Without
 * a shuffle it streams, and reads no more rows than it needs; with one, it keeps all tasks in memory.
 * @param notify receives notes about all of the tasks, after the last one; see {@link TargetSurvey}.
 * @throws DatasetError that names the config's field and the row.
 */
export async function* tasksOf(
  rows: AsyncIterable<DatasetRow> | Iterable<DatasetRow>,
  mapping: TaskMapping,
  notify: (sentence: string) => void = () => {},
): AsyncGenerator<ReadTask> {
  const limit = mapping.max_envs_to_visit ?? Number.POSITIVE_INFINITY;
  if (!mapping.shuffle) {
    if (limit > 0) yield* mappedInOrder(rows, mapping, limit, notify);
    return;
  }
  const tasks: ReadTask[] = [];
  for await (const task of mappedInOrder(rows, mapping, Number.POSITIVE_INFINITY, notify)) tasks.push(task);
  const order = shuffled(tasks, createRandom(`rows:${mapping.seed ?? 0}`));
  for (const [index, task] of order.slice(0, limit).entries()) yield { ...task, index };
}

async function* mappedInOrder(
  rows: AsyncIterable<DatasetRow> | Iterable<DatasetRow>,
  mapping: TaskMapping,
  limit: number,
  notify: (sentence: string) => void,
): AsyncGenerator<ReadTask> {
  const survey = surveyOf(mapping);
  const mapRow = createTaskMapper(mapping, survey);
  const base = new BaseEvidence(mapping);
  const rowOfId = new Map<string, number>();
  const unseen = new Set([mapping.image_field ?? []].flat());
  let index = 0;
  let isShown = false;
  for await (const { row, position } of chosenRows(rows, mapping, base, notify)) {
    // Rows beyond the limit may show the base of the indices.
    if (index >= limit) {
      if (index >= limit + MAX_BEYOND || !survey.wondersAboutBase) break;
      if (tellsBaseZero(row, position, mapping)) survey.tellBase();
      index += 1;
      continue;
    }
    const task = mapRow(row, position);
    if (mapping.id_field) {
      const former = rowOfId.get(task.id);
      if (former !== undefined) throw duplicateId(task.id, former, position + 1, mapping.id_field);
      rowOfId.set(task.id, position + 1);
    }
    isShown ||= task.images !== undefined;
    for (const field of unseen) if (valueAt(row, field) !== undefined) unseen.delete(field);
    // An environment of one's own may ask by the metadata.
    if (mapping.env_class === undefined) survey.asks(task, position + 1);
    yield { ...task, index };
    index += 1;
    if (index >= limit && !survey.wondersAboutBase) break;
  }
  if (index === 0) throw new DatasetError('the dataset has no rows', 'dataset');
  if (survey.wondersAboutBase && base.isZero()) survey.tellBase();
  for (const sentence of survey.finish()) notify(sentence);
  if (unseen.size > 0) notify(`No sample has a field '${[...unseen].join("', '")}' (dataset.image_field).`);
  if (mapping.image_field && !isShown)
    notify(`No sample has an image in '${[mapping.image_field].flat().join("', '")}' (dataset.image_field).`);
}

/** Yields the rows that become tasks, with their positions in the file. */
async function* chosenRows(
  rows: AsyncIterable<DatasetRow> | Iterable<DatasetRow>,
  mapping: TaskMapping,
  base: BaseEvidence,
  notify: (sentence: string) => void,
): AsyncGenerator<PlacedRow> {
  const { select, id_field, seed = 0 } = mapping;
  if (select != null) {
    const idOf = ({ row, position }: PlacedRow) =>
      id_field ? scalarText(valueAt(row, id_field) ?? null) : String(position);
    const onExcluded = (placed: PlacedRow) => base.look(placed);
    yield* selectedRows(rows, select, { seed, idField: id_field ?? null, idOf, onExcluded, notify });
    return;
  }
  let position = 0;
  for await (const row of rows) yield { row, position: position++ };
}

/** What rows that the selection excludes show of the base of the targets. */
class BaseEvidence {
  private left: number;
  private zero = false;
  private one: unknown = null;

  constructor(private readonly mapping: TaskMapping) {
    const { task_type, choices, choices_field, target_base } = mapping;
    const hasChoices = task_type === 'mcq' || Boolean(choices_field) || Boolean(choices);
    this.left = hasChoices && target_base == null ? MAX_BEYOND : 0;
  }

  look({ row, position }: PlacedRow): void {
    if (this.left === 0 || this.zero || this.one !== null) return;
    this.left -= 1;
    try {
      this.zero = tellsBaseZero(row, position, this.mapping);
    } catch (error) {
      this.one = error;
    }
  }

  /** Reports whether indices count from 0. @throws DatasetError where a row shows that they count from 1. */
  isZero(): boolean {
    if (this.one !== null) throw this.one;
    return this.zero;
  }
}

/**
 * Reports whether the target of a row that becomes no task is an index that only fits from 0.
 * @throws DatasetError where it only fits from 1; other faults of the row do not matter.
 */
function tellsBaseZero(row: DatasetRow, index: number, mapping: TaskMapping): boolean {
  const survey = surveyOf(mapping);
  try {
    createTaskMapper(mapping, survey)(row, index);
  } catch (error) {
    if (error instanceof DatasetError && error.field === 'dataset.target_base') throw error;
    return false;
  }
  return survey.hasIndices && !survey.wondersAboutBase;
}

function surveyOf({ target_base, choices_field, choices }: TaskMapping): TargetSurvey {
  const isSaid = target_base !== undefined && target_base !== null;
  const fields = typeof choices_field === 'string' ? [] : (choices_field ?? []);
  return new TargetSurvey(isSaid, fields, choices?.map(String));
}

/** Creates the function that maps a row at its position (from 0), which becomes the task's `index`. */
export function createTaskMapper(
  mapping: TaskMapping,
  survey: TargetSurvey = surveyOf(mapping),
): (row: DatasetRow, index: number) => ReadTask {
  const { prompt_template, system, input_field } = mapping;
  const format = prompt_template
    ? compilePromptTemplate(prompt_template, input_field, 'dataset.prompt_template')
    : null;
  const formatSystem = system ? compilePromptTemplate(system, input_field, 'dataset.system') : null;
  return (row, index) => {
    // Rows are counted from 1 in messages, like lines in an editor.
    const rowNumber = index + 1;
    const id = mapping.id_field ? idOf(row, rowNumber, mapping.id_field) : String(index);
    const { messages, images } = messagesOf(row, rowNumber, mapping, format);
    // Choices and targets belong to the question itself, which is the last message.
    const task: AskedTask = {
      index,
      id,
      question: messages.at(-1)?.content ?? '',
      target: null,
      metadata: metadataOf(row, rowNumber, mapping.meta_fields ?? []),
    };
    const choices = choicesOf(row, rowNumber, task.question, mapping);
    const named = imagesNamed([task.question, ...(choices ?? []).map(({ text }) => text)].join('\n'));
    if (named > images.length && mapping.env_class === undefined) survey.lacksImage(rowNumber, named);
    const system = formatSystem?.(row, rowNumber) ?? '';
    // What an image shows is not known.
    const shown = images.length > 0 ? null : [system, ...messages.map(({ content }) => content)].join(' ');
    const answered =
      choices === null
        ? { ...task, ...answersOf(row, rowNumber, mapping, { shown, survey }) }
        : withChoices(task, row, choices, mapping, survey);
    const asked = withMessages(answered, messages, system);
    return images.length === 0 ? asked : { ...asked, images };
  };
}

/** Returns the largest number by which a text names an image, as MMMU writes it; 0 where it names none. */
function imagesNamed(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/<image[ _]?(\d{1,2})>/g), ([, number]) => Number(number)));
}

/** Adds the messages of a task that is not asked as a question alone. */
function withMessages(task: AskedTask, own: readonly ChatMessage[], system: string): AskedTask {
  const isSystem = own[0]?.role !== 'system' && system.trim() !== '';
  if (own.length === 1 && !isSystem) return task;
  const question = conversationText(own.filter(({ role }) => role !== 'system'));
  return {
    ...task,
    question,
    messages: [...(isSystem ? [{ role: 'system' as const, content: system }] : []), ...own],
  };
}

/** Reads the choices of a row; null where there are none and none are required. */
function choicesOf(
  row: DatasetRow,
  rowNumber: number,
  question: string,
  mapping: TaskMapping,
): Choice[] | null {
  const { task_type, env_class, choices_field, choices } = mapping;
  if (task_type !== 'mcq' && !choices_field && !choices) return null;
  const read = readChoices(row, rowNumber, question, mapping);
  if (read?.length || env_class !== undefined) return read;
  const field = 'dataset.choices_field';
  if (read !== null) {
    const path = String(choices_field);
    throw new DatasetError(`row ${rowNumber}: '${path}' (${field}) holds no choice${leftOut(path)}`, field);
  }
  throw new DatasetError(
    `row ${rowNumber}: task_type mcq needs ${field}, the field that holds the choices, or dataset.choices, or a question that lists them, as (A) red and (B) green in lines of their own; the row's fields are: ${fieldNames(row)}`,
    field,
  );
}

/** Adds a row's choices to its task, in the order shown, and which are right. */
function withChoices(
  task: AskedTask,
  row: DatasetRow,
  choices: readonly Choice[],
  mapping: TaskMapping,
  survey: TargetSurvey,
): AskedTask {
  const rowNumber = task.index + 1;
  const offered = placeInChoices(mapping);
  const right = offered === null ? targetIn(row, rowNumber, choices, mapping, survey) : [];
  if (offered !== null) {
    const position = choices.findIndex(({ label, place }) => label === offered || place === offered);
    // A right answer that the row does not have is refused as a target.
    if (position < 0) answersOf(row, rowNumber, mapping);
    right?.push(position);
  }
  survey.sees(
    choices.map(({ label }) => label),
    () => fieldNames(row),
  );
  const isShuffled = mapping.shuffle_choices ?? offered !== null;
  const texts = choices.map(({ text }) => text);
  if (isShuffled && printsChoices(task.question, texts)) {
    const field = 'dataset.shuffle_choices';
    throw new DatasetError(
      `row ${rowNumber}: the question shows the choices in the order of the row, so they cannot be shuffled (${field}); leave them out of dataset.prompt_template, or set ${field}: false`,
      field,
    );
  }
  if (isShuffled) survey.shuffles(rowNumber, texts);
  const positions = [...choices.keys()];
  const order = isShuffled
    ? shuffled(positions, createRandom(`choices:${mapping.seed ?? 0}:${task.id}`))
    : positions;
  const asked = { ...task, choices: order.map((position) => texts[position] as string) };
  // A custom environment may have another kind of target.
  if (right === null) return { ...asked, ...answersOf(row, rowNumber, mapping) };
  const answers = right.map((position) => texts[position] as string);
  const match = mapping.target_match ?? 'any';
  // Of two choices with the same text, either is right.
  const isRight = (position: number) =>
    right.includes(position) || (match === 'any' && answers.includes(texts[position] as string));
  const right_choices = [...order.keys()].filter((at) => isRight(order[at] as number));
  survey.row(rowNumber, asked.choices, { right: right_choices, isShuffled });
  return {
    ...asked,
    right_choices,
    target: answers[0] as string,
    ...(answers.length > 1 ? { targets: answers } : {}),
    ...(mapping.target_match ? { target_match: mapping.target_match } : {}),
  };
}

/** Returns the choice's field or position to which the target's path leads; null where it leads elsewhere. */
function placeInChoices({ choices_field: source, target_field: path }: TaskMapping): string | number | null {
  if (!source || !path) return null;
  if (typeof source !== 'string') return source.includes(path) ? path : null;
  const rest = path.startsWith(`${source}.`) ? path.slice(source.length + 1) : '';
  return /^\d+$/.test(rest) ? Number(rest) : null;
}

/** Returns the positions of the choices that the target names; null for another kind of target (custom only). */
function targetIn(
  row: DatasetRow,
  rowNumber: number,
  choices: readonly Choice[],
  mapping: TaskMapping,
  survey: TargetSurvey,
): number[] | null {
  const { target_field: path, task_type, env_file } = mapping;
  const isCustom = task_type === 'custom';
  if (isCustom && !path) return null;
  const value = targetOf(row, rowNumber, mapping);
  if (value === null && isCustom) return null;
  const place = { value, path: path as string, rowNumber };
  const right = rightChoices(place, choices, mapping);
  if (right === null) {
    if (isCustom || env_file !== undefined) return null;
    // An invalid target is refused as such.
    if (!Array.isArray(value)) acceptedAnswers(place, task_type === 'numeric' ? 'exact' : task_type);
    throw noChoice(place, choices, mapping);
  }
  for (const one of right.read) survey.read(one, rowNumber);
  return [...right.positions];
}

/** Reads the messages that a row asks with, the last one the user's and in most rows the only one, and its images. */
function messagesOf(
  row: DatasetRow,
  rowNumber: number,
  mapping: TaskMapping,
  format: PromptFormatter | null,
): { messages: ChatMessage[]; images: ImageSource[] } {
  const { image_field } = mapping;
  const fields = [image_field ?? []].flat();
  const held = fields.filter((field) => valueAt(row, field) !== undefined);
  // A row may leave some of several fields out.
  const images = (held.length === 0 ? fields : held).flatMap((field) => imagesOfRow(row, field, rowNumber));
  const alone = (content: string) => ({ messages: [{ role: 'user' as const, content }], images });
  if (format !== null) return alone(format(row, rowNumber));
  const field = 'dataset.input_field';
  const { input_field: path, target_field: target = null } = mapping;
  const value = requiredValue(row, path, field, rowNumber);
  const mayBeEmpty = mapping.task_type === 'custom';
  const hasImageField = Boolean(image_field);
  const conversation = readConversation(value, { path, rowNumber, target, mayBeEmpty, hasImageField });
  if (conversation !== null)
    return { messages: conversation.messages, images: [...images, ...conversation.images] };
  const text = scalarText(value);
  if (text === undefined) {
    throw new DatasetError(
      `row ${rowNumber}: '${path}' (${field}) is ${kindAt(row, path)}, neither a text nor a list of messages such as {role: user, content: …}; a prompt_template can put fields into words`,
      field,
    );
  }
  if (text.trim() === '' && !mayBeEmpty) {
    throw new DatasetError(`row ${rowNumber}: '${path}' (${field}) is empty${leftOut(path)}`, field);
  }
  return alone(text);
}

/** Reads the value at `target_field`, which is optional for `custom`. */
function targetOf(row: DatasetRow, rowNumber: number, { task_type, target_field: path }: TaskMapping): Cell {
  const field = 'dataset.target_field';
  if (!path) throw new DatasetError(`task_type ${task_type} needs a target_field (${field})`, field);
  if (task_type === 'custom') return valueAt(row, path) ?? null;
  const value = requiredValue(row, path, field, rowNumber);
  if (value !== null) return value;
  throw new DatasetError(
    `row ${rowNumber}: '${path}' (${field}) is ${kindAt(row, path)}, not a text${leftOut(path)}`,
    field,
  );
}

/** Names of fields that hold the choices of a question in much used datasets. */
const CHOICES_FIELDS = ['choices', 'options', 'endings', 'answer_choices', 'candidates'];

/** Keeps letters and digits, as choices may be shown in JSON or with other spaces. */
const squeezed = (text: string) => text.replace(/\\n|[^\p{L}\p{N}]+/gu, '');

/** Returns the field of choices that a target names by letter, label or index, and that no message shows. */
function unshownChoices(
  row: DatasetRow,
  shown: string,
  place: TargetPlace,
  { task_type }: TaskMapping,
): string | null {
  const messages = squeezed(shown);
  const isNamed = (field: string) => {
    try {
      const choices = readChoices(row, place.rowNumber, '', { choices_field: field }) ?? [];
      const [read] = rightChoices(place, choices, {})?.read ?? [];
      const isShown = choices.every(({ text }) => messages.includes(squeezed(text)));
      return read !== undefined && read.way !== 'text' && !isShown;
    } catch {
      return false;
    }
  };
  if (task_type !== 'exact') return null;
  return CHOICES_FIELDS.find((field) => Object.hasOwn(row, field) && isNamed(field)) ?? null;
}

/** Returns the right answers of a task without choices. */
function answersOf(
  row: DatasetRow,
  rowNumber: number,
  mapping: TaskMapping,
  { shown = null, survey }: { shown?: string | null; survey?: TargetSurvey } = {},
): Pick<Task, 'target' | 'targets' | 'target_match'> {
  const { task_type, env_class, target_field: path, target_match } = mapping;
  const isCustom = task_type === 'custom';
  if (isCustom && !path) return { target: null };
  const value = targetOf(row, rowNumber, mapping);
  // A custom environment may need no target, or an empty one.
  if (isCustom && !Array.isArray(value)) {
    const text = scalarText(value);
    if (value === null || text !== undefined) return { target: text ?? null };
  }
  const place = { value, path: path as string, rowNumber };
  if (env_class === undefined && !target_match)
    survey?.answer(
      value,
      task_type,
      survey.wondersAboutChoices && shown !== null ? unshownChoices(row, shown, place, mapping) : null,
    );
  const [target = null, ...others] = acceptedAnswers(place, task_type, mapping);
  if (others.length === 0) return { target };
  return { target, targets: [target as string, ...others], ...(target_match ? { target_match } : {}) };
}

function idOf(row: DatasetRow, rowNumber: number, path: string): string {
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

function metadataOf(row: DatasetRow, rowNumber: number, paths: readonly string[]): JsonObject {
  return Object.fromEntries(
    paths.map((path) => [path, plainJson(requiredValue(row, path, 'dataset.meta_fields', rowNumber))]),
  );
}
