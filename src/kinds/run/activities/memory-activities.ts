import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import { heartbeating } from '../../../activities/attempt-journal.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { loadedOnce } from '../../../activities/loaded-once.js';
import { patiently, THE_STORE } from '../../../activities/patiently.js';
import type { PaidEmbeddings } from '../../../contracts/embeddings.js';
import type { OnUnreachable } from '../../../language-models/outage.js';
import type { ExperienceEntry } from '../../../memory/entries.js';
import type { LayeredRetrieval } from '../../../retrieval/layered-retrieval.js';
import type {
  FoundExperiences,
  MemoryActivities,
  RunActivities,
  SearchExperiencesInput,
} from '../contracts.js';
import { addEmbeddings } from '../lane/totals.js';
import type { EmbeddingTotals } from '../results.js';
import { notePaid } from './embeddings.js';
import { ExperienceSearch } from './experience-search.js';
import { readJournal, writeBatch } from './journal-file.js';
import { initialMemory, loadedParts } from './memory-file.js';
import { type Account, fillIndex } from './retrieval-services.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Limit of runs whose experiences a worker keeps indexed. */
const INDEXED_RUNS = 4;

/** Index of the loaded experiences, which lanes share. */
interface SharedBase {
  loaded: readonly ExperienceEntry[];
  index: LayeredRetrieval;
}

/**
 * Account of what one search pays for embeddings. Every request is recorded in the run's folder, for the run's figures.
 */
export class Purse implements Account {
  private total: EmbeddingTotals | null = null;
  private readonly notes: Promise<void>[] = [];

  readonly signal = Context.current().cancellationSignal;
  private readonly onUnreachable: OnUnreachable;

  constructor(
    private readonly run: RunContext,
    private readonly dependencies: WorkerDependencies,
  ) {
    this.onUnreachable = dependencies.notices.listener(THE_STORE);
  }

  paid(paid: PaidEmbeddings): void {
    this.total = addEmbeddings(this.total, paid);
    const note = this.note(paid);
    // `close` reports the failure.
    note.catch(() => undefined);
    this.notes.push(note);
  }

  /** Records a paid request: the search waits until the store accepts the record. */
  private note(paid: PaidEmbeddings): Promise<void> {
    const { run, signal } = this;
    const { runLogs, notify } = this.dependencies;
    const { onUnreachable } = this;
    const id = randomUUID();
    return patiently(() => notePaid(run, id, paid), {
      log: runLogs.for(run.store, run.config.output.log_level, 'memory'),
      notify,
      onUnreachable,
      what: 'note what vectors have cost',
      signal,
    });
  }

  /** Waits until everything is recorded. */
  async close(): Promise<EmbeddingTotals | null> {
    await Promise.all(this.notes);
    return this.total;
  }
}

/** Creates the activities of memories with journaled entries: a workflow carries only their heads. */
export function createMemoryActivities(
  runs: RunContexts,
  dependencies: WorkerDependencies,
): MemoryActivities {
  const bases = new LRUCache<string, Promise<SharedBase>>({ max: INDEXED_RUNS });
  /** Lanes that all samples share: one per run, with its index. */
  const sharedLanes = new LRUCache<string, { search: ExperienceSearch; purse: { current: Purse } }>({
    max: INDEXED_RUNS,
  });

  function correctOnly({ config: { memory } }: RunContext): boolean {
    return 'retrieval' in memory && memory.retrieval.correct_only;
  }

  async function makeBase(run: RunContext, id: string, purse: Purse): Promise<SharedBase> {
    const { experiences: loaded } = loadedParts(run.config.memory, await run.loadedMemory(), id);
    const index = (await run.indexes()).index(purse);
    await fillIndex(
      index,
      loaded.map(({ obs }, number) => ({ id: number, text: obs })),
    );
    return { loaded, index };
  }

  function sharedBase(run: RunContext, reference: string, purse: Purse): Promise<SharedBase> {
    return loadedOnce(bases, reference, () => makeBase(run, '', purse));
  }

  /** Searches a lane that all samples share. A worker that has not indexed it reads its journal. */
  async function searchSharedLane(
    run: RunContext,
    input: SearchExperiencesInput,
    purse: Purse,
  ): Promise<ExperienceEntry[]> {
    let lane = sharedLanes.get(input.run);
    if (lane === undefined) {
      const { loaded, index } = await sharedBase(run, input.run, purse);
      const current = { current: purse };
      const layer = (await run.indexes()).layer(index, {
        paid: (paid) => current.current.paid(paid),
        get signal() {
          return current.current.signal;
        },
      });
      lane = { search: new ExperienceSearch(layer, loaded, correctOnly(run), true), purse: current };
      sharedLanes.set(input.run, lane);
    }
    const { search, purse: payer } = lane;
    const { sequence, from, entries } = input;
    return search.inTurn(async () => {
      // Not earlier: another search may still be paying.
      payer.current = purse;
      if (entries.length > 0) await writeBatch(run.store, input);
      if (!search.follows(sequence)) {
        const before = await readJournal(run.store, input, sequence);
        await search.apply(sequence - 1, 0, before.entries);
      }
      await search.apply(sequence, from, entries);
      return search.search(input);
    });
  }

  /** Searches a sample's own lane: its few entries come with the search, as a layer over the loaded ones. */
  async function searchOwnLane(
    run: RunContext,
    input: SearchExperiencesInput,
    purse: Purse,
  ): Promise<ExperienceEntry[]> {
    const apart = (await run.loadedMemory())?._type === 'per_sample';
    const { loaded, index } = apart
      ? await makeBase(run, (await run.taskOf(run.indexOfSlot(input.lane))).id, purse)
      : await sharedBase(run, input.run, purse);
    const layer = (await run.indexes()).layer(index, purse);
    try {
      const search = new ExperienceSearch(layer, loaded, correctOnly(run), true);
      await search.apply(0, 0, input.entries);
      return await search.search(input);
    } finally {
      layer.close();
    }
  }

  return {
    keepEntries: (batch) => heartbeating(async () => writeBatch((await runs.get(batch.run)).store, batch)),

    searchExperiences: (input) =>
      heartbeating(async (): Promise<FoundExperiences> => {
        const run = await runs.get(input.run);
        const purse = new Purse(run, dependencies);
        const own = run.config.runtime.memory_scope === 'sample';
        try {
          const experiences = await (own ? searchOwnLane : searchSharedLane)(run, input, purse);
          const embeddings = await purse.close();
          return { experiences, ...(embeddings === null ? {} : { embeddings }) };
        } finally {
          await purse.close();
        }
      }),
  };
}

/**
 * Creates the activity that returns the loaded memory, as copied when the run was prepared, for a lane to begin with.
 */
export function createLoadMemory(runs: RunContexts): RunActivities['loadMemory'] {
  return ({ run: uri, slot }) =>
    heartbeating(async () => {
      const run = await runs.get(uri);
      const loaded = await run.loadedMemory();
      if (loaded?._type !== 'per_sample') return initialMemory(run.config.memory, loaded, '');
      if (slot === undefined) return null;
      const { id } = await run.taskOf(run.indexOfSlot(slot));
      return initialMemory(run.config.memory, loaded, id);
    });
}
