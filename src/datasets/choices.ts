import { AsWritten } from '../contracts/as-written.js';
import { bareLetter, LETTERS, readLettered } from '../grading/choices.js';
import { DatasetError } from './dataset-error.js';
import { fieldNames, isMark, plainNumber, requiredValue, scalarText, typeOf, valueAt } from './fields.js';
import { parseListText } from './list-text.js';
import { type Cell, type DatasetRow, isRow } from './row.js';

const FIELD = 'dataset.choices_field';
const TEXTS = ['text', 'texts', 'choices', 'options', 'value', 'content'];
const LABELS = ['label', 'labels', 'key', 'letter'];

export interface Choice {
  text: string;
  /** Position in the row, from 0, to which an index or a letter refers; fields that a row leaves empty count. */
  place: number;
  /** Another name of the choice: its label, its key, or the field that holds it. */
  label: string | undefined;
  /** True if it is a number in the row. */
  isNumber: boolean;
}

/** Source of the choices of a row. */
export interface ChoiceMapping {
  /** A field with all of them, or one field for each. Default: they are in the question's text. */
  choices_field?: string | readonly string[] | null;
  /** Choices of every row. */
  choices?: readonly (string | number | boolean)[] | null;
  /** Field of the right answer. */
  target_field?: string | null;
}

/** A choice as it is in its row. */
interface Item {
  value: Cell;
  label?: string | undefined;
}

interface ListedOption {
  value: string;
  /** The option's letter; undefined in a list with dashes, and where a text has none. */
  label?: string;
}

/** Pattern of `(A) red`, `A) red`, `A. red`, `A: red`, alone in its line; lower case only in brackets. */
const LETTERED_LINE = /^[ \t]*(?:[-*•][ \t]*)?(?:\(([A-Za-z])\)|([A-Z])[ \t]?[).:])[ \t]*(\S.*)$/;
const DASHED_LINE = /^[ \t]*[-*•][ \t]+(\S.*)$/;
const HEADING = /^(?:options|choices|answer choices) ?:?$/i;

/**
 * Returns the options that a question lists at its end: lines by letter from A on, or below the line "Options:" with
 * dashes (both as in BIG-Bench Hard). Where a question shows examples first, its own options are the last list.
 * @param where `anywhere`: the text is only options, which may be in one line, as `a ) 38 , b ) 27`.
 * @returns null where it lists fewer than two.
 */
function optionsIn(text: string, where: 'lines' | 'anywhere' = 'lines'): ListedOption[] | null {
  return inLines(text) ?? (where === 'anywhere' ? inOneLine(text) : null);
}

function inLines(text: string): ListedOption[] | null {
  let last: ListedOption[] | null = null;
  let lettered: ListedOption[] = [];
  let dashed: ListedOption[] | null = null;
  for (const line of text.split(/\r?\n/)) {
    const match = LETTERED_LINE.exec(line);
    const letter = (match?.[1] ?? match?.[2])?.toUpperCase();
    if (letter === 'A') lettered = [];
    if (letter !== undefined && letter === LETTERS[lettered.length]) {
      lettered.push({ value: match?.[3]?.trim() ?? '', label: letter });
      if (lettered.length > 1) last = lettered;
      continue;
    }
    if (HEADING.test(line.trim())) dashed = [];
    else if (dashed !== null) {
      const option = DASHED_LINE.exec(line)?.[1]?.trim();
      if (option !== undefined) dashed.push({ value: option });
      else if (line.trim() !== '') dashed = null;
      if (dashed !== null && dashed.length > 1) last = dashed;
    }
  }
  return last;
}

/** Reads `a ) 38 , b ) 27` or `(A) red (B) green`: each letter is searched after the previous one. */
function inOneLine(text: string): ListedOption[] | null {
  const marks = [...text.matchAll(/(?<=^|[\s,;])\(?([A-Za-z])[ \t]?[).](?=\s|\S)/g)];
  const chosen: { at: number; end: number }[] = [];
  for (const mark of marks) {
    if (mark[1]?.toUpperCase() === LETTERS[chosen.length])
      chosen.push({ at: mark.index, end: mark.index + mark[0].length });
  }
  if (chosen.length < 2) return null;
  return chosen.map(({ end }, index) => ({
    value: text
      .slice(end, chosen[index + 1]?.at)
      .trim()
      .replace(/[ \t]?[,;]$/, ''),
    label: LETTERS[index] as string,
  }));
}

/**
 * Reads the choices of a row, in its order.
 *
 * - A list of texts or numbers, or of objects such as `{label, text}`; or the text of one, in JSON or as Python prints it.
 * - `{text: [...], label: [...]}` (ARC), `{choices: [...], labels: [...]}`; a path to the first of them finds the
 *   second.
 * - An object of label → text (MedQA), or of text → mark (`{"iron": 1, "zinc": 0}`).
 * - A text that lists them by letter (`a ) 38 , b ) 27`), as in questions that contain their own options.
 * - One field for each. Rows with fewer choices leave the others empty, or leave them out.
 *
 * Letters that the choices begin with (`A) 21`, `(B) iron`) become their labels, and are removed from their texts.
 *
 * @returns null where the mapping names none and the question contains none; an empty list where the field holds none.
 * @throws DatasetError that names the row.
 */
export function readChoices(
  row: DatasetRow,
  rowNumber: number,
  question: string,
  { choices_field: source, choices, target_field }: ChoiceMapping,
): Choice[] | null {
  if (choices) return choices.map((text, place) => choiceOf({ value: text }, place, '', rowNumber));
  if (source && typeof source !== 'string') return fromFields(row, rowNumber, source);
  const items = source ? itemsAt(row, rowNumber, source, target_field === source) : optionsIn(question);
  if (items === null) return null;
  const last = items.findLastIndex(({ value }) => value !== '');
  const read = items
    .map((item, place) => ({ item, place }))
    // Objects with a fixed set of labels have null for those that a row lacks, lists of one length end in empty texts.
    .filter(({ item, place }) => (item.label === undefined ? place <= last : !isEmpty(item.value)))
    .map(({ item, place }) => choiceOf(item, place, source ?? '', rowNumber));
  return withoutLetters(read);
}

function fromFields(row: DatasetRow, rowNumber: number, fields: readonly string[]): Choice[] {
  const choices = fields.flatMap((field, place) => {
    const value = valueAt(row, field);
    return value === undefined || isEmpty(value)
      ? []
      : [choiceOf({ value, label: field }, place, field, rowNumber)];
  });
  if (choices.length > 1) return choices;
  const missing = fields.find((field) => valueAt(row, field) === undefined);
  if (missing !== undefined) requiredValue(row, missing, FIELD, rowNumber);
  throw new DatasetError(
    `row ${rowNumber}: of the fields ${fields.join(', ')} (${FIELD}) ${choices.length === 0 ? 'none holds' : 'only one holds'} a choice`,
    FIELD,
  );
}

/** True for null and blank texts. Lists with null are refused, since it is unknown which choice is missing. */
const isEmpty = (value: Cell) => value === null || (typeof value === 'string' && value.trim() === '');

/** @param isTarget true if the right answer stands in the same field */
function itemsAt(row: DatasetRow, rowNumber: number, path: string, isTarget: boolean): Item[] {
  const value = listOf(requiredValue(row, path, FIELD, rowNumber), path, rowNumber);
  if (Array.isArray(value)) {
    const labels = labelsBeside(row, path, value.length);
    return value.map((item, index) =>
      isRow(item) ? fromObject(item) : { value: item, label: labels?.[index] },
    );
  }
  if (!isRow(value)) throw notAList(value, path, rowNumber);
  const texts = TEXTS.map((name) => value[name]).find(Array.isArray);
  if (texts !== undefined) {
    const labels = LABELS.map((name) => value[name]).find(Array.isArray);
    if (labels !== undefined && labels.length !== texts.length) {
      throw new DatasetError(
        `row ${rowNumber}: '${path}' (${FIELD}) has ${texts.length} choices and ${labels.length} labels`,
        FIELD,
      );
    }
    const named = asLabels(labels, texts.length);
    return texts.map((item, index) => ({ value: item, label: named?.[index] }));
  }
  const entries = Object.entries(value);
  if (entries.length < 2) throw notAList(value, path, rowNumber);
  const isRepeated = new Set(Object.values(value).map(plainNumber)).size < entries.length;
  // Numbers to choose between would differ.
  if ((isTarget || isRepeated) && entries.every(([, item]) => isMark(item)))
    return entries.map(([text]) => ({ value: text }));
  if (entries.every(([, item]) => item === null || scalarText(item) !== undefined))
    return entries.map(([label, item]) => ({ value: item, label }));
  throw notAList(value, path, rowNumber);
}

/** Reads `{label: 'A', text: 'red'}`, with any of the usual field names. */
function fromObject(item: DatasetRow): Item {
  const value = TEXTS.map((name) => item[name]).find((one) => one !== undefined);
  const named = LABELS.map((name) => item[name]).find((one) => one !== undefined && one !== null);
  // A number may be that of a database as well as a place.
  const label = named ?? (typeof item.id === 'string' && !/^\d*$/.test(item.id) ? item.id : undefined);
  return { value: value ?? item, label: label === undefined ? undefined : scalarText(label as Cell) };
}

/** Returns the labels of a list such as `choices.text`, which are in `choices.label`. */
function labelsBeside(row: DatasetRow, path: string, count: number): string[] | undefined {
  const dot = path.lastIndexOf('.');
  if (dot < 0 || !TEXTS.includes(path.slice(dot + 1))) return undefined;
  const labels = LABELS.map((name) => valueAt(row, `${path.slice(0, dot)}.${name}`)).find(Array.isArray);
  return asLabels(labels, count);
}

/** Returns labels that are distinct, unlike marks such as `[1, 0, 0]`. */
function asLabels(labels: Cell[] | undefined, count: number): string[] | undefined {
  const texts = labels?.map((label) => scalarText(label) ?? '');
  return texts?.length === count && new Set(texts).size === count ? texts : undefined;
}

/** Parses a text with a list or an object, as in CSV, or with options by letter; returns others unchanged. */
function listOf(value: Cell, field: string, rowNumber: number): Cell {
  if (typeof value !== 'string') return value ?? [];
  const list = parseListText(value);
  if (list !== undefined) return list;
  const options = optionsIn(value.trim(), 'anywhere');
  if (options !== null)
    return options.map((option) => ({ label: option.label, text: option.value }) as DatasetRow);
  if (value.trim() === '') return [];
  throw new DatasetError(
    `row ${rowNumber}: '${field}' (${FIELD}) is a text but not a list such as ["red", "green"], nor options such as (A) red (B) green: ${JSON.stringify(value.slice(0, 80))}`,
    FIELD,
  );
}

function notAList(value: Cell, field: string, rowNumber: number): DatasetError {
  return new DatasetError(
    `row ${rowNumber}: '${field}' (${FIELD}) is ${typeOf(value)}; choices are a list of texts, an object of texts by label, or an object {text: [...], label: [...]}`,
    FIELD,
  );
}

function choiceOf({ value, label }: Item, place: number, field: string, rowNumber: number): Choice {
  const text = scalarText(value);
  if (text !== undefined)
    return { text, place, label, isNumber: typeof value === 'number' || value instanceof AsWritten };
  const fault = `row ${rowNumber}: a choice in '${field}' (${FIELD}) is ${typeOf(value)}, not a text`;
  throw new DatasetError(isRow(value) ? `${fault}; its fields are: ${fieldNames(value)}` : fault, FIELD);
}

/** Moves the letters before the texts to the labels where they are the letters of the choices, in any order. */
function withoutLetters(choices: Choice[]): Choice[] {
  const lettered = choices.map(({ text }) => readLettered(text));
  const offered = new Set(LETTERS.slice(0, choices.length));
  const isLettered = lettered.every((one) => one !== undefined && offered.delete(one.letter));
  const agrees = lettered.every((one, index) => {
    const label = choices[index]?.label;
    return label === undefined || bareLetter(label) === one?.letter;
  });
  if (choices.length < 2 || !isLettered || !agrees) return choices;
  return choices.map((choice, index) => ({
    ...choice,
    text: lettered[index]?.text ?? choice.text,
    label: lettered[index]?.letter,
  }));
}
