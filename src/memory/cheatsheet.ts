import type { CheatsheetConfig } from '../config/memory-schemas.js';
import { type CheatsheetEntry, checkEntry, type Entry, type Provenance } from './entries.js';
import type { EntryLog } from './entry-log.js';
import type { MemorySnapshot, SheetMemory } from './memory-module.js';

/** State of a sheet in a lane; the texts of older versions are in the journal. */
export interface SheetState {
  cheatsheet: string;
  /** Number of versions so far, including those of a loaded memory. */
  versions: number;
}

const EMPTY_SHEET: SheetState = { cheatsheet: '', versions: 0 };

/** Cuts a text at the end of the last line that fits. A first line that is too long is cut between two characters. */
export function cutToLines(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf('\n', maxChars);
  if (end > 0) return text.slice(0, end);
  // Half of a surrogate pair is removed: some providers refuse a prompt with one.
  return text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '');
}

/**
 * Memory of one evolving text, as in Dynamic Cheatsheet (Suzgun et al., 2025, arXiv 2504.07952). The journal stores
 * every version, with the sample and trial that wrote it.
 */
export class CheatsheetMemory implements SheetMemory {
  private sheet: string;
  private versions: number;

  constructor(
    private readonly config: Pick<CheatsheetConfig, 'max_chars'>,
    private readonly log: EntryLog,
    state: SheetState = EMPTY_SHEET,
  ) {
    this.sheet = state.cheatsheet;
    this.versions = state.versions;
  }

  get maxChars(): number {
    return this.config.max_chars;
  }

  getCheatsheet(): string {
    return this.sheet;
  }

  setCheatsheet(text: string, origin: Provenance = {}): { cut: boolean } {
    const content = cutToLines(text, this.config.max_chars);
    this.log.append({ _type: 'cheatsheet', content, ...origin });
    this.sheet = content;
    this.versions += 1;
    return { cut: content.length < text.length };
  }

  /** Stores a version of the sheet; ignores other entries. */
  update(entry: Entry): void {
    checkEntry(entry);
    if (entry._type !== 'cheatsheet') return;
    const { content, sample_id, trial } = entry;
    this.setCheatsheet(content, {
      ...(sample_id === undefined ? {} : { sample_id }),
      ...(trial === undefined ? {} : { trial }),
    });
  }

  recall(): readonly CheatsheetEntry[] {
    return this.sheet === '' ? [] : [{ _type: 'cheatsheet', content: this.sheet }];
  }

  state(): SheetState {
    return { cheatsheet: this.sheet, versions: this.versions };
  }

  snapshot(): MemorySnapshot {
    return { _type: 'cheatsheet', ...this.state(), entries: this.log.count };
  }
}
