/** A number with what it is a number of, or a text: what stands in one line. */
export type LineValue =
  /** How an experiment stands, and why where that is known. */
  | { kind: 'state'; phase: string; message: string | null }
  | { kind: 'text'; text: string }
  /** Where something lies: a URI. */
  | { kind: 'address'; address: string }
  /** `noun` names one of them. */
  | { kind: 'count'; count: number; of?: number; noun?: string }
  /** US dollars; null where a price is not known. */
  | { kind: 'money'; dollars: number | null }
  | { kind: 'duration'; seconds: number }
  /** A share of 1. The interval is null where there is none, and absent where nobody asks for one. */
  | { kind: 'rate'; rate: number | null; interval?: Interval | null }
  | { kind: 'score'; score: number | null; interval?: Interval | null };

type FactValue =
  | LineValue
  /** Sentences, each in a line of its own. */
  | { kind: 'lines'; lines: readonly string[] }
  | FactTable;

/** The bounds of a 95 % interval. */
export type Interval = readonly [lower: number, upper: number];

/** Rows of values below names. */
export interface FactTable {
  kind: 'table';
  head: readonly string[];
  rows: readonly (readonly LineValue[])[];
  /** It is shown while the experiment works; where there is no room for all rows, the last ones are. */
  live?: true;
  /** What is to be known of its figures. */
  notes?: readonly string[];
}

/** Something to be known of an experiment: drawn in the Temporal UI, in the terminal, in reports and as JSON. */
export interface Fact {
  /** Names it to programs. */
  id: string;
  /** Names it to people. */
  label: string;
  value: FactValue;
  /** What is said beside the value. */
  note?: string;
  /** Its place where there is one line for all: always in it, or where it is neither nothing nor unknown. */
  brief?: 'always' | 'some';
}

interface More extends Pick<Fact, 'note' | 'brief'> {
  /** The id as people read it, where that is left out. */
  label?: string | undefined;
}

/** `tool_calls` as people read it. */
export const labelOf = (id: string) => id.replaceAll('_', ' ');

function fact(id: string, value: FactValue, { label = labelOf(id), note, brief }: More = {}): Fact {
  return {
    id,
    label,
    value,
    ...(note === undefined || note === '' ? {} : { note }),
    ...(brief === undefined ? {} : { brief }),
  };
}

export const stateFact = (phase: string, message: string | null): Fact =>
  fact('status', { kind: 'state', phase, message });

export const textFact = (id: string, text: string, more?: More) => fact(id, { kind: 'text', text }, more);

type Counted = More & { of?: number; noun?: string };

export const countFact = (id: string, count: number, { of, noun, ...more }: Counted = {}) =>
  fact(id, { kind: 'count', count, of, noun }, more);

export const moneyFact = (id: string, dollars: number | null, more?: More) =>
  fact(id, { kind: 'money', dollars }, more);

export const durationFact = (id: string, seconds: number, more?: More) =>
  fact(id, { kind: 'duration', seconds }, more);

type Estimated = More & { interval?: Interval | null };

export const rateFact = (id: string, rate: number | null, { interval, ...more }: Estimated = {}) =>
  fact(id, { kind: 'rate', rate, interval }, more);

export const scoreFact = (id: string, score: number | null, { interval, ...more }: Estimated = {}) =>
  fact(id, { kind: 'score', score, interval }, more);

/** A place; no fact where it is not known. */
export const addressFacts = (id: string, address: string, more?: More): Fact[] =>
  address === '' ? [] : [fact(id, { kind: 'address', address }, more)];

/** A table; no fact where it has no rows. */
export const tableFacts = (id: string, table: Omit<FactTable, 'kind'>, more?: More): Fact[] =>
  table.rows.length === 0 ? [] : [fact(id, { kind: 'table', ...table }, more)];

/** Sentences; no fact where there is none. */
export const lineFacts = (id: string, lines: readonly string[], more?: More): Fact[] =>
  lines.length === 0 ? [] : [fact(id, { kind: 'lines', lines }, more)];
