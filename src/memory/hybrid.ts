import type { HybridConfig } from '../config/memory-schemas.js';
import { CheatsheetMemory, type SheetState } from './cheatsheet.js';
import type { CheatsheetEntry, Entry, ExperienceEntry, Provenance } from './entries.js';
import type { EntryLog } from './entry-log.js';
import { ExperienceDBMemory, type ExperienceState } from './experience-db.js';
import type { ExperienceMemory, MemorySnapshot, SheetMemory } from './memory-module.js';

/** Memory with a sheet and experiences. */
export class HybridMemory implements SheetMemory, ExperienceMemory {
  private readonly sheet: CheatsheetMemory;
  private readonly experiences: ExperienceDBMemory;

  constructor(
    config: Pick<HybridConfig, 'max_chars'>,
    private readonly log: EntryLog,
    state?: SheetState & ExperienceState,
  ) {
    this.sheet = new CheatsheetMemory(config, log, state);
    this.experiences = new ExperienceDBMemory(log, state);
  }

  get maxChars(): number {
    return this.sheet.maxChars;
  }

  getCheatsheet(): string {
    return this.sheet.getCheatsheet();
  }

  setCheatsheet(text: string, origin?: Provenance): { cut: boolean } {
    return this.sheet.setCheatsheet(text, origin);
  }

  appendExperience(entry: ExperienceEntry): void {
    this.experiences.appendExperience(entry);
  }

  retrieveExamples(query: string, k: number, sampleId?: string): Promise<ExperienceEntry[]> {
    return this.experiences.retrieveExamples(query, k, sampleId);
  }

  newestExperiences(k: number): Promise<ExperienceEntry[]> {
    return this.experiences.newestExperiences(k);
  }

  update(entry: Entry): void {
    this.sheet.update(entry);
    this.experiences.update(entry);
  }

  /** Returns the newest experiences, then the sheet. */
  recall(): readonly (ExperienceEntry | CheatsheetEntry)[] {
    return [...this.experiences.recall(), ...this.sheet.recall()];
  }

  snapshot(): MemorySnapshot {
    const state: object = { ...this.sheet.state(), ...this.experiences.state() };
    return { _type: 'hybrid', ...state, entries: this.log.count };
  }
}
