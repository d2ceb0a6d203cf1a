import { type ExperienceEntry, isOfSample } from '../../../memory/entries.js';
import type { JournalEntry } from '../../../memory/memory-module.js';
import type { RetrievalService } from '../../../retrieval/retrieval-service.js';
import type { SearchExperiencesInput } from '../contracts.js';
import { JournalView } from './journal-file.js';

function isExperience(entry: JournalEntry): entry is ExperienceEntry {
  return entry._type === 'experience';
}

/**
 * Index of the experiences in a lane's memory: the loaded ones, which stay, and the journal's entries, which change.
 */
export class ExperienceSearch {
  private readonly view = new JournalView();
  private ready: Promise<void> | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  /** Number of the last batch; see {@link follows}. */
  private sequence = -1;

  constructor(
    private readonly service: RetrievalService,
    private readonly loaded: readonly ExperienceEntry[],
    private readonly correctOnly: boolean,
    /** True if the service has indexed the loaded experiences. */
    loadedIsIndexed = false,
  ) {
    if (loadedIsIndexed) this.ready = Promise.resolve();
  }

  /** True if a batch continues what is indexed: it is the next one, or the last one repeated. */
  follows(sequence: number): boolean {
    return sequence === this.sequence + 1 || sequence === this.sequence;
  }

  /** Runs `work` after all earlier work: two searches of one index must not see each other's entries. */
  inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.turn.then(work, work);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Replaces the entries from number `from` on. */
  async apply(sequence: number, from: number, entries: readonly JournalEntry[]): Promise<void> {
    await this.indexLoaded();
    const gone = this.view.entries.slice(from).map((_, position) => this.idOf(from + position));
    this.service.remove(gone);
    this.view.apply({ from, entries: [...entries] });
    await this.service.buildIndex(
      entries.flatMap((entry, position) =>
        isExperience(entry) ? [{ id: this.idOf(from + position), text: entry.obs }] : [],
      ),
    );
    this.sequence = sequence;
  }

  /** Searches as `MemoryJournal.search` does. */
  async search(wanted: Pick<SearchExperiencesInput, 'text' | 'k' | 'count' | 'sample_id'>) {
    const { text, k, count } = wanted;
    if (text === undefined) return this.newest(k, count);
    const matches = await this.service.queryTopK(text, k, (id) => this.isWanted(id, { ...wanted, text }));
    return matches.reverse().map(({ id }) => this.at(id));
  }

  /** Returns the newest experiences, right or wrong: `correct_only` applies only to similarity. */
  private newest(k: number, count: number): ExperienceEntry[] {
    const found: ExperienceEntry[] = [];
    for (let id = this.idOf(count) - 1; id >= 0 && found.length < k; id--) {
      const entry = this.entryAt(id);
      if (entry !== undefined) found.push(entry);
    }
    return found.reverse();
  }

  /** Indexes the loaded experiences once; if that fails, the next call tries again. */
  private indexLoaded(): Promise<void> {
    this.ready ??= this.service
      .buildIndex(this.loaded.map(({ obs }, id) => ({ id, text: obs })))
      .catch((error: unknown) => {
        this.ready = undefined;
        throw error;
      });
    return this.ready;
  }

  private idOf(number: number): number {
    return this.loaded.length + number;
  }

  /** Returns an experience; undefined if the entry is missing, or a version of the sheet. */
  private entryAt(id: number): ExperienceEntry | undefined {
    const entry = this.loaded[id] ?? this.view.entries[id - this.loaded.length];
    return entry !== undefined && isExperience(entry) ? entry : undefined;
  }

  private at(id: number): ExperienceEntry {
    const entry = this.entryAt(id);
    if (entry === undefined) throw new Error(`the index has no experience ${id}`);
    return entry;
  }

  private isWanted(
    id: number,
    { text, count, sample_id }: Pick<SearchExperiencesInput, 'count' | 'sample_id'> & { text: string },
  ): boolean {
    if (id >= this.idOf(count)) return false;
    const entry = this.entryAt(id);
    if (entry === undefined) return false;
    return !this.correctOnly || (entry.feedback.correct && !tellsAnswer(entry, text, sample_id));
  }
}

/**
 * True if a correct experience answers the very question of the search: it is of the same sample, or has the same text
 * (duplicate rows, or rows of an earlier run).
 */
function tellsAnswer(entry: ExperienceEntry, text: string, sampleId: string | undefined): boolean {
  return (sampleId !== undefined && isOfSample(entry, sampleId)) || entry.obs.trim() === text.trim();
}
