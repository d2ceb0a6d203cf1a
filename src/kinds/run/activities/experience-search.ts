import { type ExperienceEntry, isOfSample } from '../../../memory/entries.js';
import type { JournalEntry } from '../../../memory/memory-module.js';
import type { RetrievalService } from '../../../retrieval/retrieval-service.js';
import type { SearchExperiencesInput } from '../contracts.js';
import { JournalView } from './journal-file.js';

function isExperience(entry: JournalEntry): entry is ExperienceEntry {
  return entry._type === 'experience';
}

/**
 * The experiences of a lane's memory, indexed: the loaded ones, which stay, and the entries of its journal, which come
 * and go.
 */
export class ExperienceSearch {
  private readonly view = new JournalView();
  private ready: Promise<void> | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  /** Of the batch that came last; see {@link follows}. */
  private sequence = -1;

  constructor(
    private readonly service: RetrievalService,
    private readonly loaded: readonly ExperienceEntry[],
    private readonly correctOnly: boolean,
    /** The service has the loaded ones already. */
    loadedIsIndexed = false,
  ) {
    if (loadedIsIndexed) this.ready = Promise.resolve();
  }

  /** Whether a batch joins on to what is indexed: it is the next one, or the last one once more. */
  follows(sequence: number): boolean {
    return sequence === this.sequence + 1 || sequence === this.sequence;
  }

  /** Takes what `work` does in turn: two searches of one index must not see each other's entries. */
  inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.turn.then(work, work);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Entries up to `from` stay, these follow. */
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

  /** See `MemoryJournal.search`. */
  async search(wanted: Pick<SearchExperiencesInput, 'text' | 'k' | 'count' | 'sample_id'>) {
    const { text, k, count } = wanted;
    if (text === undefined) return this.newest(k, count);
    const matches = await this.service.queryTopK(text, k, (id) => this.isWanted(id, { ...wanted, text }));
    return matches.reverse().map(({ id }) => this.at(id));
  }

  /** Whatever was judged of them: `correct_only` is about what is found by similarity. */
  private newest(k: number, count: number): ExperienceEntry[] {
    const found: ExperienceEntry[] = [];
    for (let id = this.idOf(count) - 1; id >= 0 && found.length < k; id--) {
      const entry = this.entryAt(id);
      if (entry !== undefined) found.push(entry);
    }
    return found.reverse();
  }

  /** The loaded experiences are sent to the index once; where that fails, the next attempt sends them again. */
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

  /** Undefined where nothing stands, or a version of the sheet. */
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
 * Whether an experience that is known to be right answers the very question that is asked: it is of the same sample, or
 * has the same text (rows that are there twice, or in an earlier run).
 */
function tellsAnswer(entry: ExperienceEntry, text: string, sampleId: string | undefined): boolean {
  return (sampleId !== undefined && isOfSample(entry, sampleId)) || entry.obs.trim() === text.trim();
}
