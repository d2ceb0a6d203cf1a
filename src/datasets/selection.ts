import { nearestWords } from '../config/errors.js';
import { createRandom } from '../statistics/random.js';
import { Smallest } from '../statistics/smallest.js';
import { DatasetError } from './dataset-error.js';
import { fieldNames, scalarText, valueAt } from './fields.js';
import { type Cell, type DatasetRow, isRow, jsonText } from './row.js';

/** Value that a field of a row is compared with. */
type Wanted = string | number | boolean;

/** Selection of rows: `dataset.select` of a config. A row has to meet all conditions; `random` draws among these. */
export interface RowSelection {
  /** Ids of samples. */
  ids?: readonly string[] | undefined;
  /** Rows by their number, such as `11-20` or `101-`: counted from 1, both included, in the order of the file. */
  range?: string | undefined;
  /** Values by the path of their field; one of several is enough. */
  where?: Readonly<Record<string, Wanted | readonly Wanted[]>> | undefined;
  /** Fields that have to hold something: no null, no blank text, no list or object without anything else. */
  not_empty?: string | readonly string[] | undefined;
  /** Number of rows to draw; the seed and a row's id decide, and the order of the file is kept. */
  random?: number | undefined;
}

/** Row of a dataset, and its position in the file, from 0. */
export interface PlacedRow {
  row: DatasetRow;
  position: number;
}

/** Context of a selection. */
export interface SelectionContext {
  seed: number;
  /** Field of the ids; null: they are the numbers of rows, from 0. */
  idField: string | null;
  /** Returns the id of a row; undefined if it has none. */
  idOf(placed: PlacedRow): string | undefined;
  /** Receives each row that is not selected. */
  onExcluded(placed: PlacedRow): void;
  /** Receives sentences for people, after the last row. */
  notify(sentence: string): void;
}

const FIELD = 'dataset.select';
/** Pattern of `dataset.select.range`. */
const RANGE = /^(\d{1,15})\s*-\s*(\d{1,15})?$/;
/** Maximum number of values that a message lists. */
const MAX_SHOWN = 10;

/**
 * Parses a range such as `11-20`, of rows counted from 1.
 * @returns the first and the last row; null for any other text, and for a range without rows.
 */
export function rangeOf(text: string): { first: number; last: number } | null {
  const [, from, to] = RANGE.exec(text.trim()) ?? [];
  if (from === undefined) return null;
  const [first, last] = [Number(from), to === undefined ? Number.POSITIVE_INFINITY : Number(to)];
  return first >= 1 && last >= first ? { first, last } : null;
}

/**
 * Yields the rows that a selection contains, in their order. Reads no more rows than it needs; `random` reads all of
 * them and holds at most twice as many as it draws.
 * @throws DatasetError for an id that no row has, and if nothing is selected.
 */
export async function* selectedRows(
  rows: AsyncIterable<DatasetRow> | Iterable<DatasetRow>,
  selection: RowSelection,
  context: SelectionContext,
): AsyncGenerator<PlacedRow> {
  const found = new FoundRows(selection, context);
  const { random } = selection;
  const drawn = random === undefined ? null : new Smallest<PlacedRow>(random, context.onExcluded);
  let met = 0;
  for await (const row of rows) {
    const placed = { row, position: found.read };
    if (found.meets(placed)) {
      met += 1;
      if (drawn === null) yield placed;
      else drawn.add(numberOf(placed, context), placed);
    } else context.onExcluded(placed);
    if (found.isComplete) break;
  }
  if (found.read === 0) return;
  found.refuseUnknownIds();
  if (met === 0) throw found.nothing();
  for (const sentence of found.notes()) context.notify(sentence);
  if (drawn === null) return;
  if (random !== undefined && met < random) {
    context.notify(
      `There are only ${met} rows to draw ${random} from (${FIELD}.random): all of them are taken.`,
    );
  }
  yield* drawn.kept().sort((left, right) => left.position - right.position);
}

/** Returns a row's number for a draw, which its id and the seed decide. */
function numberOf(placed: PlacedRow, { seed, idOf }: SelectionContext): number {
  return createRandom(`select:${seed}:${idOf(placed) ?? placed.position}`)();
}

/** Conditions of a selection, and what was found of them. */
class FoundRows {
  /** Number of rows read. */
  read = 0;
  private readonly range: { first: number; last: number };
  private readonly open: Set<string> | null;
  /** Ids of all rows read, for the message about one that is missing. */
  private readonly seenIds: string[] = [];
  private readonly conditions: Condition[];
  private readonly notEmpty: readonly string[];
  /** Those of them that no row so far holds. */
  private readonly unfilled: Set<string>;
  private fields = '';

  constructor(
    { ids, range, where, not_empty = [] }: RowSelection,
    private readonly context: SelectionContext,
  ) {
    this.range = (range === undefined ? null : rangeOf(range)) ?? {
      first: 1,
      last: Number.POSITIVE_INFINITY,
    };
    this.open = ids === undefined ? null : new Set(ids);
    this.conditions = Object.entries(where ?? {}).map(
      ([path, wanted]) => new Condition(path, [wanted].flat()),
    );
    this.notEmpty = [not_empty].flat();
    this.unfilled = new Set(this.notEmpty);
  }

  /** True if no later row can meet the conditions. */
  get isComplete(): boolean {
    return this.read >= this.range.last || this.open?.size === 0;
  }

  meets(placed: PlacedRow): boolean {
    this.read += 1;
    if (this.read < this.range.first) return false;
    if (!this.isNamed(placed)) return false;
    // Every condition sees the row: each reports later what it has found.
    const met = this.conditions.map((condition) => condition.holds(placed.row));
    return [...met, ...this.notEmpty.map((path) => this.holds(placed.row, path))].every(Boolean);
  }

  private holds(row: DatasetRow, path: string): boolean {
    const filled = isFilled(valueAt(row, path) ?? null);
    if (filled) this.unfilled.delete(path);
    else if (this.unfilled.has(path)) this.fields = fieldNames(row);
    return filled;
  }

  private isNamed(placed: PlacedRow): boolean {
    if (this.open === null) return true;
    const id = this.context.idOf(placed);
    if (id === undefined) return false;
    this.seenIds.push(id);
    return this.open.delete(id);
  }

  refuseUnknownIds(): void {
    const [id] = this.open ?? [];
    if (id === undefined) return;
    const field = `${FIELD}.ids`;
    const nearest = nearestWords(id, this.seenIds, 3);
    const more = (this.open?.size ?? 1) - 1;
    const known = nearest.length === 0 ? 'no row has an id' : `the nearest ids are ${nearest.join(', ')}`;
    const numbers = this.context.idField === null ? ' (row numbers from 0, without a dataset.id_field)' : '';
    throw new DatasetError(
      `there is no sample ${JSON.stringify(id)}${more === 0 ? '' : `, nor ${more} more of those named`} (${field}); ${known}${numbers}`,
      field,
    );
  }

  /** Builds the error of a selection without rows. */
  nothing(): DatasetError {
    if (this.read < this.range.first) {
      const field = `${FIELD}.range`;
      return new DatasetError(`the dataset has only ${this.read} rows (${field})`, field);
    }
    const unmet = this.conditions.find((condition) => condition.unmet !== null);
    if (unmet?.unmet != null) return new DatasetError(unmet.unmet, `${FIELD}.where`);
    const [unfilled] = this.unfilled;
    if (unfilled !== undefined) {
      const field = `${FIELD}.not_empty`;
      return new DatasetError(
        `no row has anything in the field '${unfilled}' (${field}); the last one has: ${this.fields}`,
        field,
      );
    }
    return new DatasetError(`none of the ${this.read} rows meets all conditions of ${FIELD}`, FIELD);
  }

  notes(): string[] {
    // Of a part of the dataset, nothing is known about all rows.
    if (this.open !== null || this.range.last < Number.POSITIVE_INFINITY || this.range.first > 1) return [];
    return this.conditions.flatMap(({ path, missing }) =>
      missing.map((value) => `No row has ${path} ${JSON.stringify(value)} (${FIELD}.where).`),
    );
  }
}

/** Values that a field of a row may have. */
class Condition {
  private readonly unseen: Set<Wanted>;
  private readonly values = new Set<string>();
  private isField = false;
  private fields = '';

  constructor(
    readonly path: string,
    private readonly wanted: readonly Wanted[],
  ) {
    this.unseen = new Set(wanted);
  }

  holds(row: DatasetRow): boolean {
    const cell = valueAt(row, this.path);
    if (this.unseen.size === this.wanted.length) this.learn(row, cell);
    const items = Array.isArray(cell) ? cell : [cell ?? null];
    const found = this.wanted.filter((value) => items.some((item) => isSame(item, value)));
    for (const value of found) this.unseen.delete(value);
    return found.length > 0;
  }

  /** Collects what a message says as long as no row has met the condition. */
  private learn(row: DatasetRow, cell: Cell | undefined): void {
    this.isField ||= cell !== undefined;
    this.fields = fieldNames(row);
    if (cell === undefined || cell === null || this.values.size > MAX_SHOWN) return;
    for (const item of Array.isArray(cell) ? cell : [cell]) this.values.add(jsonText(item));
  }

  /** Values that no row has. */
  get missing(): Wanted[] {
    return [...this.unseen];
  }

  /** Reason why no row meets this condition alone; null if one does. */
  get unmet(): string | null {
    if (this.unseen.size < this.wanted.length) return null;
    const where = `${FIELD}.where`;
    if (!this.isField)
      return `no row has a field '${this.path}' (${where}); the last one has: ${this.fields}`;
    const listed = [...this.values].slice(0, MAX_SHOWN).join(', ');
    const others = this.values.size > MAX_SHOWN ? ' and others' : '';
    const wanted = this.wanted.map((value) => JSON.stringify(value)).join(' or ');
    return `no row has ${this.path} ${wanted} (${where}); there are ${listed || 'only empty values'}${others}`;
  }
}

function isFilled(cell: Cell): boolean {
  if (Array.isArray(cell)) return cell.some(isFilled);
  if (isRow(cell)) return Object.values(cell).some(isFilled);
  // An empty list as text, as in CSV.
  return !/^(?:\[ *\])?$/.test(scalarText(cell)?.trim() ?? '');
}

/** Reports whether a row's value is the wanted one: a number by its value, also within a text, as in CSV. */
function isSame(cell: Cell, wanted: Wanted): boolean {
  const text = scalarText(cell);
  if (text === undefined) return false;
  if (typeof wanted === 'number') return text.trim() !== '' && Number(text) === wanted;
  if (typeof wanted === 'boolean') return text.trim().toLowerCase() === String(wanted);
  return text === wanted;
}
