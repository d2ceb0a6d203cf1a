/** A value that fits in one line. */
export type LineValue =
  /** Phase of an experiment, and its reason where that is known. */
  | { kind: 'state'; phase: string; message: string | null }
  | { kind: 'text'; text: string }
  /** A URI. */
  | { kind: 'address'; address: string }
  /** `noun` is the singular. */
  | { kind: 'count'; count: number; of?: number; noun?: string }
  /** US dollars; null where a price is unknown. */
  | { kind: 'money'; dollars: number | null }
  | { kind: 'duration'; seconds: number }
  /** A share of 1. Its uncertainty is null where there is none, and absent where it is not shown. */
  | ({ kind: 'rate'; rate: number | null } & Uncertain)
  | ({ kind: 'score'; score: number | null } & Uncertain);

/** Uncertainty of an estimated value. */
interface Uncertain {
  interval?: Interval | null;
  stderr?: number | null;
}

type FactValue =
  | LineValue
  /** Sentences, one in each line. */
  | { kind: 'lines'; lines: readonly string[] }
  | FactTable;

/** Bounds of a 95 % interval. */
export type Interval = readonly [lower: number, upper: number];

/** Rows of values below column names. */
export interface FactTable {
  kind: 'table';
  head: readonly string[];
  rows: readonly (readonly LineValue[])[];
  /** True to show it while the experiment is in progress; the last rows, where there is no room for all. */
  live?: true;
  /** Notes about its figures. */
  notes?: readonly string[];
}

/** Information about an experiment, shown in the Temporal UI, in the terminal, in reports and as JSON. */
export interface Fact {
  /** Name for programs. */
  id: string;
  /** Name for people. */
  label: string;
  value: FactValue;
  /** Text after the value. */
  note?: string;
  /** Condition for the one-line summary: always in it, or only where the value is neither zero nor unknown. */
  brief?: 'always' | 'some';
}

interface More extends Pick<Fact, 'note' | 'brief'> {
  /** Default: the id in the form for people. */
  label?: string | undefined;
}

/** Formats an id for people: `tool calls`. */
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

type Estimated = More & Uncertain;

export const rateFact = (id: string, rate: number | null, { interval, stderr, ...more }: Estimated = {}) =>
  fact(id, { kind: 'rate', rate, interval, stderr }, more);

export const scoreFact = (id: string, score: number | null, { interval, stderr, ...more }: Estimated = {}) =>
  fact(id, { kind: 'score', score, interval, stderr }, more);

/** Returns an address as a fact; none where it is unknown. */
export const addressFacts = (id: string, address: string, more?: More): Fact[] =>
  address === '' ? [] : [fact(id, { kind: 'address', address }, more)];

/** Returns a table as a fact; none where it has no rows. */
export const tableFacts = (id: string, table: Omit<FactTable, 'kind'>, more?: More): Fact[] =>
  table.rows.length === 0 ? [] : [fact(id, { kind: 'table', ...table }, more)];

/** Returns sentences as a fact; none where there are none. */
export const lineFacts = (id: string, lines: readonly string[], more?: More): Fact[] =>
  lines.length === 0 ? [] : [fact(id, { kind: 'lines', lines }, more)];
