import { bareLetter, LETTERS, readLettered, sameTexts } from '../grading/choices.js';
import type { Choice } from './choices.js';
import { DatasetError } from './dataset-error.js';
import { isMark, leftOut, listed, plainNumber, scalarText, typeOf } from './fields.js';
import { parseListText } from './list-text.js';
import { type Cell, isRow, jsonText } from './row.js';
import type { Way } from './target-survey.js';

const FIELD = 'dataset.target_field';

/** Base of targets: indices from 0 or 1, letters from A; `none`: targets are the texts of choices. */
type TargetBase = 0 | 1 | 'A' | 'none';

/** Rules for reading the targets of a dataset. */
export interface TargetRules {
  /** Default: depends on the form of each target. */
  target_base?: TargetBase | null;
  /** Of several right answers, `any`: one is enough; `all`: all are required. */
  target_match?: 'any' | 'all' | null;
}

/** A target in its row. */
export interface TargetPlace {
  value: Cell;
  /** Field of the target in the row. */
  path: string;
  rowNumber: number;
}

/** Possible meanings of a target, by the way in which it is read: positions in the list of choices. */
type Readings = Partial<Record<Way, number[]>>;

/** The reading that was chosen, and all possible ones. */
export interface ReadTarget {
  way: Way;
  readings: Readings;
  /** The text in the row. */
  text: string;
}

/** Positions of the right choices, and the readings that led to them. */
export interface RightChoices {
  positions: number[];
  /** True if the target names several choices in a list or by letters. */
  several: boolean;
  read: ReadTarget[];
}

/**
 * Finds the choices that a target names: by label, letter, text or index; several as a list, as marks (`[1, 0, 0]`, also
 * by text or label) or as letters in one text (`AC`, `A and C`); true and false where the choices mean yes and no.
 * @returns null where it names none.
 * @throws DatasetError for several without `target_match`, or where its label and its index disagree.
 */
export function rightChoices(
  place: TargetPlace,
  choices: readonly Choice[],
  rules: TargetRules,
): RightChoices | null {
  const value = isChoice(place.value, choices, rules)
    ? place.value
    : marksOf(parsedList(place.value), choices);
  if (Array.isArray(value)) return fromList(value, place, choices, rules);
  if (typeof value === 'boolean') return onlyOne(yesOrNo(value, choices));
  const read = readOne(value, place, choices, rules);
  if (read !== null) return { positions: read.readings[read.way] ?? [], several: false, read: [read] };
  if (typeof value !== 'string') return null;
  const letters = separateLetters(value);
  if (letters !== null) return fromList(letters, place, choices, rules);
  return /^(?:true|false)$/i.test(value.trim()) ? onlyOne(yesOrNo(/t/i.test(value), choices)) : null;
}

function onlyOne(position: number): RightChoices | null {
  return position < 0 ? null : { positions: [position], several: false, read: [] };
}

/** Reports whether a text is that of a choice, which may look like a list: `[1, 2]`. */
function isChoice(value: Cell, choices: readonly Choice[], { target_base }: TargetRules): boolean {
  if (typeof value !== 'string' || (target_base != null && target_base !== 'none')) return false;
  return choices.some(({ text }) => text.trim() === value.trim());
}

/** Returns the marks of an object with one for each choice, by its text or label, as a list; others unchanged. */
function marksOf(value: Cell, choices: readonly Choice[]): Cell {
  const object = typeof value === 'string' ? parseListText(value) : value;
  if (!isRow(object) || Object.keys(object).length !== choices.length) return value;
  const marks = choices.map(({ text, label = text }) => object[Object.hasOwn(object, text) ? text : label]);
  return marks.every(isMark) ? (marks as Cell[]) : value;
}

/** Parses a list in a text, as in CSV; returns others unchanged. */
function parsedList(value: Cell): Cell {
  const list = typeof value === 'string' ? parseListText(value) : undefined;
  return Array.isArray(list) ? list : value;
}

function fromList(
  items: readonly Cell[],
  place: TargetPlace,
  choices: readonly Choice[],
  rules: TargetRules,
): RightChoices | null {
  const marks = marked(items, choices);
  const read = marks === null ? items.map((item) => readOne(item, place, choices, rules)) : [];
  if (read.some((one) => one === null)) return null;
  const found = read as ReadTarget[];
  const named = new Set(marks ?? found.flatMap(({ readings, way }) => readings[way]?.[0] ?? []));
  if (named.size === 0) return null;
  const positions = [...named].sort((left, right) => left - right);
  if (named.size > 1 && !rules.target_match) {
    throw new DatasetError(
      `row ${place.rowNumber}: target ${shown(place.value)} ('${place.path}', ${FIELD}) names ${named.size} choices, ${listed(positions.map((one) => choices[one]?.text ?? ''))}; set dataset.target_match: any where one of them is a right answer, all where the answer has to name all of them`,
      'dataset.target_match',
    );
  }
  return { positions, several: named.size > 1, read: found };
}

/**
 * Returns the positions of the ones in a list of ones and zeros for all choices (TruthfulQA), with those that a row leaves
 * empty or without; none where one is of no choice, and null for another list.
 */
function marked(items: readonly Cell[], choices: readonly Choice[]): number[] | null {
  if (items.length < Math.max(2, choices.length) || !items.every(isMark)) return null;
  const isOfChoices = items.length === choices.length;
  const right = choices.flatMap(({ place }, position) =>
    plainNumber(items[isOfChoices ? position : place]) ? [position] : [],
  );
  return right.length === items.filter(plainNumber).length ? right : [];
}

function readOne(
  value: Cell,
  { path, rowNumber }: TargetPlace,
  choices: readonly Choice[],
  { target_base }: TargetRules,
): ReadTarget | null {
  const text = typeof value === 'boolean' ? undefined : scalarText(value);
  if (text === undefined) return null;
  const readings = readingsOf(text.trim(), choices);
  const isBase = target_base === 0 || target_base === 1;
  const [byIndex] = isBase ? (readings[target_base] ?? []) : [];
  const [byLabel] = readings.label ?? [];
  if (byIndex !== undefined && byLabel !== undefined && byIndex !== byLabel) {
    throw new DatasetError(
      `row ${rowNumber}: target ${shown(value)} ('${path}', ${FIELD}) is the label of ${shown(choices[byLabel]?.text ?? '')} and as an index from ${target_base} (dataset.target_base) ${shown(choices[byIndex]?.text ?? '')}; leave dataset.target_base out where targets are labels`,
      'dataset.target_base',
    );
  }
  const way = waysOf(value, choices, target_base).find((one) => readings[one] !== undefined);
  return way === undefined ? null : { way, readings, text };
}

/** Returns the order in which the readings of a target are tried. */
function waysOf(value: Cell, choices: readonly Choice[], base: TargetRules['target_base']): Way[] {
  if (base === 0 || base === 1) return [base, 'label'];
  if (base === 'A') return ['letter', 'label'];
  if (base === 'none') return ['text'];
  // Labels such as 1 to 4 define what a number means (ARC).
  const index: Way[] = choices.some(({ label }) => label !== undefined && isIndex(label)) ? [] : [0];
  if (typeof value === 'string') {
    const isSmallText =
      value.trim() !== bareLetter(value) && choices.some(({ text }) => text.trim() === value.trim());
    return isSmallText ? ['label', 'text'] : ['label', 'letter', 'text', ...index];
  }
  const isNumber = choices.every((choice) => choice.isNumber);
  return isNumber ? ['label', 'text', ...index] : ['label', ...index, 'text'];
}

/** Returns all possible readings of a target. */
function readingsOf(text: string, choices: readonly Choice[]): Readings {
  const readings: Readings = {};
  const add = (way: Way, positions: number[]) => {
    if (positions.length > 0 && !positions.includes(-1)) readings[way] = positions;
  };
  const atPlace = (place: number) => choices.findIndex((choice) => choice.place === place);
  add('label', labelled(text, choices));
  add(
    'text',
    sameTexts(
      choices.map((choice) => choice.text),
      text,
    ),
  );
  if (isIndex(text)) {
    add(0, [atPlace(Number(text))]);
    add(1, [atPlace(Number(text) - 1)]);
  }
  const lettered = readLettered(text);
  if (!choices.some(isLettered)) {
    const letter = bareLetter(text) || (lettered?.letter.toUpperCase() ?? '');
    const position = letter === '' ? -1 : atPlace(LETTERS.indexOf(letter));
    add('letter', lettered === undefined || agrees(lettered.text, choices, position) ? [position] : []);
  } else if (readings.label === undefined) {
    // Labels that are letters define what a letter means.
    const [position = -1] = lettered === undefined ? [] : labelled(lettered.letter, choices);
    add('label', lettered !== undefined && agrees(lettered.text, choices, position) ? [position] : []);
  }
  return readings;
}

/** True if a choice's label is one of the letters that are offered. */
function isLettered({ label }: Choice, _position: number, { length }: readonly Choice[]): boolean {
  const letter = label === undefined ? '' : bareLetter(label);
  return letter !== '' && LETTERS.indexOf(letter) <= length;
}

/** Matches whole numbers, also with `.0`, as in columns with gaps. */
const isIndex = (text: string) => /^\d{1,9}(?:\.0+)?$/.test(text.trim());

function labelled(text: string, choices: readonly Choice[]): number[] {
  const exact = choices.findIndex(({ label }) => label?.trim() === text);
  if (exact >= 0) return [exact];
  const letter = bareLetter(text);
  const byLetter =
    letter === ''
      ? -1
      : choices.findIndex(({ label }) => label !== undefined && bareLetter(label) === letter);
  return byLetter < 0 ? [] : [byLetter];
}

/** Reports whether the text after a letter is the text of its choice: `B. zinc` is ambiguous where B is iron. */
function agrees(text: string, choices: readonly Choice[], position: number): boolean {
  return sameTexts(
    choices.map((choice) => choice.text),
    text,
  ).includes(position);
}

/** Returns the letters of `AC`, `A, C` or `(A) and (C)`; null for any other text. */
function separateLetters(text: string): string[] | null {
  const plain = text.trim();
  if (/^[A-Z]{2,26}$/.test(plain)) return new Set(plain).size === plain.length ? [...plain] : null;
  if (plain.length > 200) return null;
  const parts = plain.split(/(?:[\s,;/&+()[\].]|\band\b)+/i).filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => /^[A-Z]$/.test(part)) ? parts : null;
}

const YES = /^(?:yes|true|correct|right|y|t)$/i;
const NO = /^(?:no|false|incorrect|wrong|n|f)$/i;

/** Returns the position of the choice for yes, or no; -1 where there is no such pair. */
function yesOrNo(value: boolean, choices: readonly Choice[]): number {
  const saying = (pattern: RegExp) =>
    choices.flatMap(({ text }, position) => (pattern.test(text.trim().replace(/\.$/, '')) ? [position] : []));
  const [yes, no] = [saying(YES), saying(NO)];
  if (yes.length !== 1 || no.length !== 1) return -1;
  return (value ? yes[0] : no[0]) ?? -1;
}

/** Pattern of what stands for no choice, as in SNLI's labels. */
const NO_ANSWER = /^-(?:1(?:\.0+)?)?$/;

/** Builds the error for a target that names no choice. */
export function noChoice(
  { value, path, rowNumber }: TargetPlace,
  choices: readonly Choice[],
  { target_base }: TargetRules,
): DatasetError {
  const labels = choices.flatMap(({ label }) => label ?? []);
  const texts = `${listed(choices.map(({ text }) => text))}${labels.length === 0 ? '' : ` (${listed(labels)})`}`;
  const what = `row ${rowNumber}: target ${shown(value)} ('${path}', ${FIELD})`;
  if (typeof value === 'boolean') {
    return new DatasetError(
      `${what} is a boolean, and the choices ${texts} do not say yes and no. Correct it, or name another field.`,
      FIELD,
    );
  }
  const text = scalarText(value)?.trim() ?? '';
  if (NO_ANSWER.test(text)) {
    const wanted = choices.map((choice) =>
      text === '-' ? choice.text : choice.place + (target_base === 1 ? 1 : 0),
    );
    return new DatasetError(
      `${what} is none of the choices ${texts}. Correct it, or, where it marks rows without a right answer, leave them out with dataset.select.where: {${path}: [${listed(wanted.map(String))}]}.`,
      FIELD,
    );
  }
  const counted = target_base === 0 || target_base === 1 ? `, counted from ${target_base}` : '';
  const as = target_base === 'A' ? ' by letter' : target_base === 'none' ? ' by its text' : counted;
  const other = target_base === 1 ? 0 : 1;
  const index = isIndex(text) ? Number(text) : -1;
  // Counted from the other base it is the last choice, or the first; elsewhere it tells nothing of the base.
  const fits = choices.at(-other)?.place === index - other;
  const otherwise = target_base === undefined || target_base === null ? '' : ' otherwise';
  const base = fits ? `: ${other} where indices count from ${other}` : otherwise;
  // A wrong base has its own error field, since it concerns every row.
  return new DatasetError(
    `${what} is none of the choices ${texts}${as}. Correct it, or set dataset.target_base${base}; a few faulty rows are left out by dataset.select.where: {${path}: […]} with the values that are right.`,
    fits ? 'dataset.target_base' : FIELD,
  );
}

/**
 * Returns the accepted answers of a target without choices: the items of a list (aliases, spans), with `target_match`
 * also of one in a text, or, for a boolean, the words for true or false.
 * @throws DatasetError that names the row.
 */
export function acceptedAnswers(
  place: TargetPlace,
  taskType: string,
  { target_match }: TargetRules = {},
): string[] {
  const { path, rowNumber } = place;
  const value = target_match ? parsedList(place.value) : place.value;
  const refuse = (what: string) => new DatasetError(`row ${rowNumber}: '${path}' (${FIELD}) ${what}`, FIELD);
  if (typeof value === 'boolean') {
    if (taskType === 'numeric')
      throw refuse(
        `is ${value}, which is no number; use task_type exact, or mcq with dataset.choices: [yes, no]`,
      );
    return taskType === 'exact' ? inAnyCase(value ? ['true', 'yes'] : ['false', 'no']) : [String(value)];
  }
  if (!Array.isArray(value)) {
    const text = scalarText(value);
    if (text === undefined) throw refuse(`is ${typeOf(value)}, not a text${insideOf(value, path)}`);
    if (text.trim() === '') throw refuse(`is empty${leftOut(path)}`);
    return [text];
  }
  const texts = value.map((item) => {
    const text = scalarText(item);
    if (text === undefined)
      throw refuse(
        `is a list with ${typeOf(item)} in it, not of texts; name one of its items, as in '${path}.0'`,
      );
    return text;
  });
  const answers = [...new Set(texts.filter((text) => text.trim() !== ''))];
  if (answers.length === 0)
    throw refuse(`${value.length === 0 ? 'is an empty list' : 'is empty'}${leftOut(path)}`);
  return answers;
}

function insideOf(value: Cell, path: string): string {
  if (!isRow(value)) return '';
  const [first] = Object.keys(value);
  return first === undefined ? '' : `; name one of its fields, as in '${path}.${first}'`;
}

function inAnyCase(words: readonly string[]): string[] {
  return words.flatMap((word) => [word, `${word[0]?.toUpperCase()}${word.slice(1)}`, word.toUpperCase()]);
}

const SHOWN = 60;

function shown(value: Cell): string {
  const text = typeof value === 'string' ? value : jsonText(value);
  const line = text.replace(/\s+/g, ' ');
  return `\`${line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line}\``;
}
