import type { ExperienceEntry } from '../../../memory/entries.js';
import type { ExperienceQuery, JournalEntry, MemoryJournal } from '../../../memory/memory-module.js';
import type { FoundExperiences, JournalBatch, RunPlan } from '../contracts.js';
import type { JournalState } from '../lane/lane-state.js';
import { PendingEntries } from '../lane/pending-entries.js';
import { memories } from './activities.js';

/** Limits of pending entries before they are stored: number and characters. */
const ENTRIES_HELD = 64;
const CHARS_HELD = 128 * 1024;

/**
 * Journal of a lane's memory, written by activities. If samples share the lane, entries leave the workflow in batches,
 * and with every search. A sample's own lane is short; its entries stay in the workflow until the lane ends.
 */
export class LaneJournal implements MemoryJournal {
  private readonly pending: PendingEntries;
  private sequence: number;

  constructor(
    private readonly plan: RunPlan,
    private readonly lane: number,
    /** Receives the cost of a search's embeddings. */
    private readonly paid: (embeddings: NonNullable<FoundExperiences['embeddings']>) => void,
    state: JournalState = { from: 0, entries: [], sequence: 0 },
  ) {
    this.pending = new PendingEntries(state.from, state.entries);
    this.sequence = state.sequence;
  }

  append(number: number, entry: JournalEntry): void {
    this.pending.append(number, entry);
  }

  async search(query: ExperienceQuery, count: number): Promise<ExperienceEntry[]> {
    this.pending.truncate(count);
    const batch = this.nextBatch();
    const { experiences, embeddings } = await memories.searchExperiences({ ...batch, ...query, count });
    this.written(batch);
    if (embeddings !== undefined) this.paid(embeddings);
    return experiences;
  }

  /** Stores the pending entries once they are many. A sample's own journal is never stored. */
  async keepWhenLong(): Promise<void> {
    const { length, chars } = this.pending;
    if (length >= ENTRIES_HELD || chars >= CHARS_HELD) await this.keep();
  }

  async keep(): Promise<void> {
    if (this.plan.memory_scope === 'sample' || this.pending.length === 0) return;
    const batch = this.nextBatch();
    await memories.keepEntries(batch);
    this.written(batch);
  }

  /** Returns the pending entries; for a sample's own lane all entries. */
  entries(): readonly JournalEntry[] {
    return this.pending.entries();
  }

  state(): JournalState {
    return { from: this.pending.from, entries: [...this.pending.entries()], sequence: this.sequence };
  }

  /** Builds the next batch. Each has its own number, so that a late write of an older one does no harm. */
  private nextBatch(): JournalBatch {
    const { run, execution } = this.plan;
    const sequence = this.sequence++;
    return { run, execution, lane: this.lane, sequence, ...this.pending.batch() };
  }

  private written({ from, entries }: JournalBatch): void {
    if (this.plan.memory_scope === 'run') this.pending.release(from + entries.length);
  }
}
