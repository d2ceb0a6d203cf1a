import { checkEntry, type Entry, type ExperienceEntry } from './entries.js';
import type { EntryLog } from './entry-log.js';
import type { ExperienceMemory, MemorySnapshot } from './memory-module.js';

/** Maximum of experiences that `recall` returns. */
const AT_HAND = 20;

/** State of the experiences in a lane; all but the newest are in the journal. */
export interface ExperienceState {
  /** Number of experiences, including those of a loaded memory. */
  experiences: number;
  newest: ExperienceEntry[];
}

/** Returns the state of a memory with given experiences. */
export function experienceState(experiences: readonly ExperienceEntry[]): ExperienceState {
  return { experiences: experiences.length, newest: experiences.slice(-AT_HAND) };
}

const NO_EXPERIENCES: ExperienceState = { experiences: 0, newest: [] };

/** Memory of the observation, action and feedback of every step, retrieved by similarity. */
export class ExperienceDBMemory implements ExperienceMemory {
  private experiences: number;
  private newest: ExperienceEntry[];

  constructor(
    private readonly log: EntryLog,
    state: ExperienceState = NO_EXPERIENCES,
  ) {
    this.experiences = state.experiences;
    this.newest = state.newest.slice(-AT_HAND);
  }

  get size(): number {
    return this.experiences;
  }

  appendExperience(entry: ExperienceEntry): void {
    checkEntry(entry);
    this.log.append(entry);
    this.newest = [...this.newest, entry].slice(-AT_HAND);
    this.experiences += 1;
  }

  /** Stores experiences; ignores other entries. */
  update(entry: Entry): void {
    checkEntry(entry);
    if (entry._type === 'experience') this.appendExperience(entry);
  }

  recall(): readonly ExperienceEntry[] {
    return this.newest;
  }

  async retrieveExamples(query: string, k: number, sampleId?: string): Promise<ExperienceEntry[]> {
    if (this.experiences === 0 || k <= 0) return [];
    const asking = sampleId === undefined ? {} : { sample_id: sampleId };
    return this.log.journal.search({ text: query, k, ...asking }, this.log.count);
  }

  async newestExperiences(k: number): Promise<ExperienceEntry[]> {
    if (k <= 0) return [];
    if (k <= this.newest.length || this.newest.length === this.experiences) return this.newest.slice(-k);
    return this.log.journal.search({ k }, this.log.count);
  }

  state(): ExperienceState {
    return { experiences: this.experiences, newest: this.newest };
  }

  snapshot(): MemorySnapshot {
    return { _type: 'experience_db', ...(this.state() as object), entries: this.log.count };
  }
}
