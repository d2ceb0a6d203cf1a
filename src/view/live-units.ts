import { identityHash } from '../activities/call-key.js';
import type { StoredCall } from '../activities/call-store.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { KindView, LiveRow } from '../kinds/kind.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callKey, callsPrefix } from '../storage/paths.js';
import { readAhead } from '../storage/read-ahead.js';
import { readJson } from '../storage/stored-file.js';
import { type IndexedRow, indexedRow, short, unitKey } from './row-index.js';

/** Maximum calls that are read for a table; the next request goes on from there. */
const MAX_NEW_CALLS = 2000;
/** Milliseconds for which what was read is not read again. */
const FRESH_MS = 500;

/** What is remembered of an object: its rows, or the head of its call. */
interface Remembered {
  bytes: number;
  rows: { place: number; row: IndexedRow }[];
  call: CallHead | null;
}

interface CallHead {
  id: string;
  trial: number;
  text: string;
  cost_usd: number | null;
  at: string;
}

/** What is known of a unit in progress. */
interface LiveUnit {
  row: IndexedRow | null;
  place: number;
  /** Key of the object with its row. */
  rowIn: string | null;
  /** Keys of its calls. */
  calls: { key: string; head: CallHead }[];
}

/**
 * What an experiment in progress has recorded, read once: its objects are written whole, and are many. Between requests
 * only the cells of their rows and the heads of their calls are in memory.
 */
export class LiveUnits {
  private readonly known = new Map<string, Remembered>();
  /** Keys of calls that stand beside a row. */
  private readonly beside = new Set<string>();
  private readonly source: ReturnType<NonNullable<KindView['liveRows']>> | undefined;
  private last: { read: Promise<Map<string, LiveUnit>>; at: number; isWhole: boolean } | null = null;

  constructor(
    private readonly store: ArtifactStore,
    private readonly view: KindView,
  ) {
    this.source = view.liveRows?.(store);
  }

  /** Returns the rows that have been written, in their order, and behind them the units in flight. */
  async rows(): Promise<IndexedRow[]> {
    const units = [...(await this.units(false)).values()];
    const ended = units.filter(({ row }) => row !== null).sort((left, right) => left.place - right.place);
    const going = units.filter(({ row }) => row === null);
    return [...ended.map(({ row }) => row as IndexedRow), ...going.map(inFlightWith)];
  }

  /** Reads all that is recorded of a unit. */
  async unit(
    id: string,
    trial: number,
  ): Promise<{ indexed: IndexedRow | null; row: Record<string, unknown> | null; calls: CallRecord[] }> {
    const unit = (await this.units(true)).get(unitKey(id, trial));
    const written = unit?.rowIn == null ? [] : ((await this.source?.read(unit.rowIn)) ?? []);
    const own = written.find((one) => {
      const indexed = this.indexed(one);
      return indexed.id === id && indexed.trial === trial;
    });
    const calls: CallRecord[] = [...(own?.calls ?? [])];
    for await (const stored of readAhead(unit?.calls ?? [], ({ key }) =>
      readJson<StoredCall>(this.store, key),
    ))
      if (stored !== null) calls.push(stored.record);
    return { indexed: unit?.row ?? null, row: (own?.row as Record<string, unknown>) ?? null, calls };
  }

  private indexed({ row }: LiveRow): IndexedRow {
    return indexedRow(row as Record<string, unknown>, this.view, []);
  }

  /** Requests that come together, and the parts of a page, read nothing twice. */
  private units(isWhole: boolean): Promise<Map<string, LiveUnit>> {
    const { last } = this;
    if (last !== null && Date.now() - last.at < FRESH_MS && (last.isWhole || !isWhole)) return last.read;
    const read = Promise.resolve(last?.read)
      .catch(() => undefined)
      .then(() => this.read(isWhole ? Number.POSITIVE_INFINITY : MAX_NEW_CALLS));
    const next = { read, at: Number.POSITIVE_INFINITY, isWhole };
    this.last = next;
    read.then(
      () => {
        next.at = Date.now();
      },
      () => {
        next.at = 0;
      },
    );
    return read;
  }

  private async read(maxNewCalls: number): Promise<Map<string, LiveUnit>> {
    const units = new Map<string, LiveUnit>();
    const unitAt = (id: string, trial: number) => {
      const key = unitKey(id, trial);
      const unit = units.get(key) ?? { row: null, place: 0, rowIn: null, calls: [] };
      units.set(key, unit);
      return unit;
    };
    const { source } = this;
    if (source !== undefined)
      // Of several rows of a unit the last one counts.
      for await (const { key, rows } of this.objects(source.below, (found) => this.rowsOf(found)))
        for (const { row, place } of rows)
          Object.assign(unitAt(row.id, row.trial), { row, place, rowIn: key });
    for await (const { key, call } of this.objects(callsPrefix(), (found) => this.callOf(found), maxNewCalls))
      if (call !== null) unitAt(call.id, call.trial).calls.push({ key, head: call });
    return units;
  }

  /** Lists the objects below a prefix, of which those that are new are read. */
  private async *objects(
    below: string,
    read: (key: string) => Promise<Pick<Remembered, 'rows' | 'call'> | null>,
    maxNew = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Remembered & { key: string }> {
    let fresh = 0;
    const wanted: { key: string; bytes: number }[] = [];
    for await (const { key, bytes } of this.store.list(below))
      if (!this.beside.has(key) && (this.known.get(key)?.bytes === bytes || fresh++ < maxNew))
        wanted.push({ key, bytes });
    const found = readAhead(wanted, async ({ key, bytes }) => {
      const known = this.known.get(key);
      if (known?.bytes === bytes) return { key, ...known };
      const made = await read(key);
      if (made === null) return null;
      this.known.set(key, { bytes, ...made });
      return { key, bytes, ...made };
    });
    for await (const one of found) if (one !== null) yield one;
  }

  private async rowsOf(key: string): Promise<Pick<Remembered, 'rows' | 'call'> | null> {
    let written: readonly LiveRow[];
    try {
      written = (await this.source?.read(key)) ?? [];
    } catch (error) {
      // What an experiment no longer needs goes at its end.
      if (await this.store.exists(key)) throw error;
      return null;
    }
    for (const { calls = [] } of written)
      for (const call of calls) {
        this.beside.add(callKey(identityHash(call)));
        this.known.delete(callKey(identityHash(call)));
      }
    return { call: null, rows: written.map((one) => ({ place: one.place, row: this.indexed(one) })) };
  }

  private async callOf(key: string): Promise<Pick<Remembered, 'rows' | 'call'> | null> {
    const stored = await readJson<StoredCall>(this.store, key);
    if (stored === null) return null;
    const { sample_id, trial, text, cost_usd, at } = stored.record;
    const id = this.view.unitOf?.(sample_id) ?? sample_id;
    return { rows: [], call: { id, trial, text: short(text), cost_usd, at } };
  }
}

/** Makes the row of a unit in flight. */
export function inFlight({ id, trial }: { id: string; trial: number }): IndexedRow {
  return {
    id,
    trial,
    question: '',
    answer: 'in flight',
    error: null,
    cut_off: false,
    scores: {},
    metadata: {},
    lm_calls: 0,
    cost_usd: 0,
    seconds: null,
    at: [],
  };
}

function inFlightWith({ calls }: LiveUnit): IndexedRow {
  const heads = calls
    .map(({ head }) => head)
    .sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
  const [first] = heads;
  const costs = heads.map(({ cost_usd }) => cost_usd);
  return {
    ...inFlight({ id: first?.id ?? '', trial: first?.trial ?? 0 }),
    answer: `in flight: ${heads.at(-1)?.text ?? ''}`,
    lm_calls: heads.length,
    cost_usd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}
