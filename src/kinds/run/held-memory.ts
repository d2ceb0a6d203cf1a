import type { z } from 'zod';
import { InvalidInputError } from '../../config/errors.js';
import { memoryConfigSchema } from '../../config/memory-schemas.js';
import { parseSection } from '../../config/parse-section.js';
import type { ExperienceEntry } from '../../memory/entries.js';
import { buildMemory as build } from '../../memory/factory.js';
import type {
  ExperienceQuery,
  JournalEntry,
  MemoryJournal,
  MemoryModule,
} from '../../memory/memory-module.js';
import { LexicalIndex } from '../../retrieval/lexical-index.js';
import { ExperienceSearch } from './activities/experience-search.js';

/** Journal of a memory that is composed by hand: it holds all entries, and finds them by words. */
class HeldJournal implements MemoryJournal {
  private readonly entries: JournalEntry[] = [];
  private readonly search_: ExperienceSearch;
  /** Number of entries that are indexed, and of the next batch. */
  private indexed = 0;
  private sequence = 0;

  constructor(correctOnly: boolean) {
    this.search_ = new ExperienceSearch(new LexicalIndex(), [], correctOnly);
  }

  append(number: number, entry: JournalEntry): void {
    this.entries.splice(number, this.entries.length - number, entry);
    this.indexed = Math.min(this.indexed, number);
  }

  search(query: ExperienceQuery, count: number): Promise<ExperienceEntry[]> {
    return this.search_.inTurn(async () => {
      const from = this.indexed;
      this.indexed = this.entries.length;
      await this.search_.apply(this.sequence++, from, this.entries.slice(from));
      return this.search_.search({ ...query, count });
    });
  }
}

/** Config of a memory as its author writes it. */
export type MemoryModuleConfig = z.input<typeof memoryConfigSchema>;

/**
 * Builds a memory for objects that are composed by hand, such as `buildMemory({ _type: 'history_list' })`. One of
 * experiences finds them by words.
 * @throws InvalidInputError that names the field.
 */
export function buildMemory(given: MemoryModuleConfig): MemoryModule {
  const config = parseSection('memory', memoryConfigSchema, given);
  if (config._type === 'own') {
    throw new InvalidInputError(
      'memory._type: make a memory of your own with new, from its class',
      'memory._type',
    );
  }
  const retrieval = 'retrieval' in config ? config.retrieval : null;
  if (retrieval?.backend === 'embedding') {
    throw new InvalidInputError(
      'memory.retrieval.backend: a memory that is composed by hand finds experiences by words; write bm25',
      'memory.retrieval.backend',
    );
  }
  return build(config, null, new HeldJournal(retrieval?.correct_only ?? false));
}
