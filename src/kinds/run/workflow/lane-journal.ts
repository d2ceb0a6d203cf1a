import type { ExperienceEntry } from '../../../memory/entries.js';
import type { ExperienceQuery, JournalEntry, MemoryJournal } from '../../../memory/memory-module.js';
import type { FoundExperiences, JournalBatch, RunPlan } from '../contracts.js';
import type { JournalState } from '../lane/lane-state.js';
import { PendingEntries } from '../lane/pending-entries.js';
import { memories } from './activities.js';

/** Entries held before they are written down, and characters of them. */
const ENTRIES_HELD = 64;
const CHARS_HELD = 128 * 1024;

/**
 * The journal of a lane's memory, written by activities. Where samples share the lane, entries leave the workflow: in
 * batches, and with every search. A sample's own lane is short; its entries stay with it until it ends.
 */
export class LaneJournal implements MemoryJournal {
  private readonly pending: PendingEntries;
  private sequence: number;

  constructor(
    private readonly plan: RunPlan,
    private readonly lane: number,
    /** Hears what a search paid for embeddings. */
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

  /** Writes what is held, once it is much. A sample's own journal is never written. */
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

  /** The entries that are held; for a sample's own lane all of them. */
  entries(): readonly JournalEntry[] {
    return this.pending.entries();
  }

  state(): JournalState {
    return { from: this.pending.from, entries: [...this.pending.entries()], sequence: this.sequence };
  }

  /** Every batch has a number of its own, so that a late write of an older one harms nothing. */
  private nextBatch(): JournalBatch {
    const { run, execution } = this.plan;
    const sequence = this.sequence++;
    return { run, execution, lane: this.lane, sequence, ...this.pending.batch() };
  }

  private written({ from, entries }: JournalBatch): void {
    if (this.plan.memory_scope === 'run') this.pending.release(from + entries.length);
  }
}
