import { LRUCache } from 'lru-cache';
import type { CallRecord } from '../contracts/language-model.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import { type Fact, stateFact } from '../facts/fact.js';
import { factsOf, progressAtEnd } from '../facts/kind-facts.js';
import { briefParts } from '../facts/text.js';
import type { KindView, RegisteredKind } from '../kinds/kind.js';
import { KINDS, kindOf } from '../kinds/registry.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { artifactKeys } from '../storage/paths.js';
import { readAhead } from '../storage/read-ahead.js';
import { readStoredConfig } from '../storage/stored-config.js';
import { readJson } from '../storage/stored-file.js';
import type { Live } from './live.js';
import { inFlight, LiveUnits } from './live-units.js';
import { type Notes, readNotes } from './notes.js';
import {
  callsAt,
  type IndexedRow,
  memoryAt,
  type RowIndex,
  readRowIndex,
  unitKey,
  valuesAt,
} from './row-index.js';

/** Folder of judgements within an experiment's. */
const JUDGED = 'judged';
/** Pattern of an experiment's id: names of folders. */
const ID = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*){0,2}$/;
const INDEXES_IN_MEMORY = 8;

/** An experiment as the list shows it. */
export interface ShownExperiment {
  id: string;
  name: string;
  kind: string;
  phase: string;
  models: string[];
  started: string | null;
  cost_usd: number | null;
  errors: number;
  /** Main figures in one line. */
  headline: string;
  tags: string[];
  isLive: boolean;
}

/** An experiment that is shown. */
export interface Opened {
  id: string;
  store: ArtifactStore;
  kind: RegisteredKind;
  view: KindView;
  /** null until it has ended. */
  metrics: ExperimentMetrics | null;
  /** Facts of its end, or of its progress where it is known. */
  facts: Fact[];
  isLive: boolean;
  /** Address of its workflow in the Temporal UI; null where no server is known. */
  workflow: string | null;
  notes: Notes;
}

/** A unit of an experiment with all that is recorded of it. */
export interface OpenedUnit {
  indexed: IndexedRow | null;
  row: Record<string, unknown> | null;
  calls: CallRecord[];
  executions: Record<string, unknown>[];
  /** Memory of its own; absent where it is not known to have one. */
  memory?: unknown;
}

export class NotThere extends Error {}

/** The experiments of a results folder, on disk or in S3, read as far as a page needs them. */
export class Experiments {
  /** Indexes of ended experiments, by id and the time of their end. */
  private readonly indexes = new LRUCache<string, Promise<RowIndex>>({ max: INDEXES_IN_MEMORY });

  private readonly inProgress = new LRUCache<string, LiveUnits>({ max: INDEXES_IN_MEMORY });

  constructor(
    readonly root: ArtifactStore,
    private readonly live: Live,
  ) {}

  /** Lists the experiments, those without a beginning so far, then the newest first. */
  async list(): Promise<ShownExperiment[]> {
    const going = await this.live.inProgress();
    const names = (await this.root.folders('')).filter((name) => ID.test(name));
    const found: ShownExperiment[] = [];
    for await (const one of readAhead(names, (id) =>
      this.listed(id, going.get(this.root.within(id).uri)?.progress),
    ))
      if (one !== null) found.push(one);
    const begun = ({ started }: ShownExperiment) =>
      started === null ? Number.POSITIVE_INFINITY : Date.parse(started);
    const byId = (left: ShownExperiment, right: ShownExperiment) =>
      left.id.localeCompare(right.id, 'en', { numeric: true });
    return found.sort((left, right) => Math.sign(begun(right) - begun(left)) || byId(left, right));
  }

  private async listed(
    id: string,
    progress: ExperimentProgress | undefined,
  ): Promise<ShownExperiment | null> {
    const store = this.root.within(id);
    const [metrics, notes] = await Promise.all([metricsOf(store), readNotes(store)]);
    const kind = metrics === null ? await kindOfConfig(store) : kindOf(metrics.kind);
    if (kind === undefined) return null;
    const { facts } = await kind.kind();
    const known = progress ?? (metrics === null ? null : progressAtEnd({ artifacts: '', metrics }, facts));
    return {
      id,
      name: metrics?.name ?? id,
      kind: kind.id,
      phase: known?.phase ?? 'unfinished',
      models: Object.values(known?.models ?? {}).filter((model) => model !== null),
      started: metrics?.started_at ?? null,
      cost_usd: known === null ? null : known.spending.cost_usd,
      errors: known?.errors ?? 0,
      headline: known === null ? '' : briefParts(factsOf(known, facts)).join(' · '),
      tags: notes.tags,
      isLive: progress !== undefined,
    };
  }

  /** Opens an experiment. @throws NotThere */
  async open(id: string): Promise<Opened> {
    if (!ID.test(id)) throw new NotThere(`'${id}' is no experiment's id`);
    const store = this.root.within(id);
    const [metrics, notes, going] = await Promise.all([
      metricsOf(store),
      readNotes(store),
      this.live.inProgress(),
    ]);
    const kind = metrics === null ? await kindOfConfig(store) : kindOf(metrics.kind);
    if (kind === undefined) throw new NotThere(`there is no experiment '${id}' in ${this.root.uri}`);
    const running = going.get(store.uri);
    const { facts } = await kind.kind();
    const progress =
      running?.progress ?? (metrics === null ? null : progressAtEnd({ artifacts: '', metrics }, facts));
    return {
      id,
      store,
      kind,
      view: await kind.view(),
      metrics: running === undefined ? metrics : null,
      facts: progress === null ? [stateFact('unfinished', null)] : factsOf(progress, facts),
      isLive: running !== undefined,
      workflow: this.live.workflowAddress(running?.id ?? id),
      notes,
    };
  }

  /** Names of the judgements of an experiment. */
  async judgements({ id, store }: Opened): Promise<string[]> {
    return (await store.folders(JUDGED)).map((name) => `${id}/${JUDGED}/${name}`);
  }

  /** Returns the rows of an experiment: those of its index, or as far as they have been written. */
  async rows(opened: Opened): Promise<IndexedRow[]> {
    if (opened.metrics !== null) return (await this.index(opened)).rows;
    const rows = await this.liveUnits(opened).rows();
    const known = new Set(rows.map(({ id, trial }) => unitKey(id, trial)));
    for await (const unit of opened.view.planned?.(opened.store) ?? [])
      if (!known.has(unitKey(unit.id, unit.trial))) rows.push(inFlight(unit));
    return rows;
  }

  private liveUnits({ id, store, view }: Opened): LiveUnits {
    const units = this.inProgress.get(id) ?? new LiveUnits(store, view);
    this.inProgress.set(id, units);
    return units;
  }

  private index({ id, store, view, metrics }: Opened): Promise<RowIndex> {
    const key = `${id} ${metrics?.ended_at}`;
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const read = readRowIndex(store, view);
    this.indexes.set(key, read);
    read.catch(() => this.indexes.delete(key));
    return read;
  }

  /** Reads what is recorded of a unit. @throws NotThere if nothing is. */
  async unit(opened: Opened, id: string, trial: number): Promise<OpenedUnit> {
    const unit =
      opened.metrics === null
        ? { executions: [], ...(await this.liveUnits(opened).unit(id, trial)) }
        : await this.endedUnit(opened, id, trial);
    const isKnown = unit.row !== null || unit.calls.length + unit.executions.length > 0;
    if (!isKnown && !opened.isLive && opened.view.sections === undefined)
      throw new NotThere(`${opened.id} has no ${opened.view.unit} '${id}' in trial ${trial + 1}`);
    return { ...unit, calls: unit.calls.sort((left, right) => Date.parse(left.at) - Date.parse(right.at)) };
  }

  private async endedUnit(opened: Opened, id: string, trial: number): Promise<OpenedUnit> {
    const { store } = opened;
    const { rows, rows_in, calls, executions, memories } = await this.index(opened);
    const indexed = rows.find((row) => row.id === id && row.trial === trial) ?? null;
    const key = unitKey(id, trial);
    const spansOf = (spans: typeof calls) => (Object.hasOwn(spans, key) ? (spans[key] ?? []) : []);
    const [[row = null], itsCalls, itsExecutions, memory] = await Promise.all([
      indexed === null ? [] : valuesAt<Record<string, unknown>>(store, rows_in, indexed.at),
      callsAt(store, spansOf(calls)),
      valuesAt<Record<string, unknown>>(store, artifactKeys.executions, spansOf(executions)),
      memories === null
        ? undefined
        : memoryAt(store, id, Object.hasOwn(memories, id) ? (memories[id] ?? []) : []),
    ]);
    return { indexed, row, calls: itsCalls, executions: itsExecutions, memory };
  }
}

const metricsOf = (store: ArtifactStore) => readJson<ExperimentMetrics>(store, artifactKeys.metrics);

async function kindOfConfig(store: ArtifactStore): Promise<RegisteredKind | undefined> {
  const config = await readStoredConfig(store);
  return config === null ? undefined : KINDS.find((kind) => kind.recognises(config));
}
