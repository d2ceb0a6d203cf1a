import { AsWritten } from '../contracts/as-written.js';
import { createRandom, shuffled } from '../statistics/random.js';
import { DatasetError } from './dataset-error.js';
import { kindOf, requiredValue, scalarText, valueAt } from './fields.js';
import { parseJson } from './json-text.js';
import { type Cell, isRow, type Row } from './row.js';

const FIELD = 'dataset.choices_field';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Where the choices of a row stand, and how its target refers to one of them. */
export interface ChoiceMapping {
  /** One field with a list, or the fields that hold a choice each. */
  choices_field: string | readonly string[];
  target_field?: string | null;
  seed?: number;
}

/** The choices of a row in the order they are lettered, and the target that goes with them. */
export interface ChoiceSet {
  choices: string[];
  /** The choice the target refers to by index, by label or by field name, as {@link choiceReference}; else undefined. */
  target: string | undefined;
}

/**
 * Reads a row's choices.
 *
 * - A list of strings or numbers, or the text of a JSON list (as in CSV): kept in order. A target that is an integer
 *   is a 0-based index.
 * - `{text: [...], label: [...]}` (ARC): kept in order. A target that is a label means that choice.
 * - A list of fields: a target that is a field's name means its choice. Where the target's own field is among them
 *   (GPQA), the choices are shuffled, by seed and id, or the right one would always stand in the same place.
 *
 * @param id the row's id: the order of its choices depends on it and the seed, not on which other rows are taken.
 * @throws DatasetError that names the row.
 */
export function readChoices(row: Row, rowNumber: number, id: string, mapping: ChoiceMapping): ChoiceSet {
  const { choices_field: source, target_field: targetField } = mapping;
  const target = targetField ? valueAt(row, targetField) : undefined;
  if (typeof source !== 'string') return fromFields(row, rowNumber, id, mapping, source, target);
  const value = listOf(requiredValue(row, source, FIELD, rowNumber), source, rowNumber);
  const items = isRow(value) ? value.text : value;
  if (!Array.isArray(items)) throw notAList(value, source, rowNumber);
  const choices = items.map((item) => choiceText(item, source, rowNumber));
  const labels = isRow(value) && Array.isArray(value.label) ? value.label.map((label) => String(label)) : [];
  const position = labels.length > 0 ? labelIndex(labels, target) : targetIndex(items, target);
  if (position === undefined) return { choices, target: undefined };
  if (position >= choices.length) {
    throw new DatasetError(
      `row ${rowNumber}: the target ${JSON.stringify(target)} (dataset.target_field) is neither one of the ${choices.length} choices of '${source}' nor an index from 0 to ${choices.length - 1}`,
      'dataset.target_field',
    );
  }
  return { choices, target: choiceReference(choices, position) };
}

/**
 * Names a choice so that it cannot be taken for another: its text, or its letter in brackets where the text stands
 * twice among the choices or could itself be read as a letter.
 */
function choiceReference(choices: readonly string[], position: number): string {
  const text = choices[position] as string;
  const ambiguous = choices.indexOf(text) !== choices.lastIndexOf(text) || /^\W*[A-Z]\W*$/i.test(text);
  return ambiguous && position < LETTERS.length ? `(${LETTERS[position]})` : text;
}

function fromFields(
  row: Row,
  rowNumber: number,
  id: string,
  mapping: ChoiceMapping,
  fields: readonly string[],
  target: Cell | undefined,
): ChoiceSet {
  const offered = fields
    .map((field) => ({ field, value: requiredValue(row, field, FIELD, rowNumber) }))
    // Rows with fewer choices than there are fields leave the rest empty.
    .filter(({ value }) => value !== null && value !== '');
  const targetIsOffered = mapping.target_field ? fields.includes(mapping.target_field) : false;
  const ordered = targetIsOffered
    ? shuffled(offered, createRandom(`choices:${mapping.seed ?? 0}:${id}`))
    : offered;
  const choices = ordered.map(({ field, value }) => choiceText(value, field, rowNumber));
  const meant = targetIsOffered ? mapping.target_field : target;
  const byName = ordered.findIndex(({ field }) => field === meant);
  const position = byName >= 0 ? byName : targetIsOffered ? undefined : targetIndex(choices, target);
  return {
    choices,
    target:
      position === undefined || position >= choices.length ? undefined : choiceReference(choices, position),
  };
}

/** A text that holds a JSON list, as CSV must, is read; everything else stays as it is. */
function listOf(value: Cell, field: string, rowNumber: number): Cell {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch {
    throw new DatasetError(
      `row ${rowNumber}: '${field}' (${FIELD}) is a text but not a JSON list such as ["red", "green"]: ${JSON.stringify(value.slice(0, 80))}`,
      FIELD,
    );
  }
}

function notAList(value: Cell, field: string, rowNumber: number): DatasetError {
  return new DatasetError(
    `row ${rowNumber}: '${field}' (${FIELD}) is ${kindOf(value)}; choices are a list of texts, or an object {text: [...], label: [...]}`,
    FIELD,
  );
}

function choiceText(value: Cell, field: string, rowNumber: number): string {
  const text = scalarText(value);
  if (text !== undefined) return text;
  throw new DatasetError(
    `row ${rowNumber}: a choice in '${field}' (${FIELD}) is ${kindOf(value)}, not a text`,
    FIELD,
  );
}

function labelIndex(labels: readonly string[], target: Cell | undefined): number | undefined {
  const label = target === undefined ? undefined : scalarText(target);
  const index = label === undefined ? -1 : labels.indexOf(label.trim());
  return index >= 0 ? index : undefined;
}

/**
 * The index that a target means: an integer (MMLU: `answer: 1` among texts), unless the choices are numbers
 * themselves and it is one of them. Digits as text, as in CSV, mean a choice of that text where there is one. Any
 * other text is left to the environment, which knows letters and texts.
 */
function targetIndex(items: readonly Cell[], target: Cell | undefined): number | undefined {
  const number = target instanceof AsWritten ? target.value : target;
  if (target !== undefined && typeof number === 'number') {
    const written = scalarText(target);
    const asNumber = items.findIndex((item) => typeof item !== 'string' && scalarText(item) === written);
    if (asNumber >= 0) return asNumber;
    if (Number.isInteger(number) && number >= 0 && number < items.length) return number;
    const asText = items.indexOf(written as string);
    return asText >= 0 ? asText : items.length;
  }
  if (typeof target !== 'string' || !/^\d+$/.test(target.trim())) return undefined;
  const asText = items.findIndex((item) => scalarText(item) === target.trim());
  return asText >= 0 ? asText : Number(target);
}
