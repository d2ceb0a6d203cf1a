import { LRUCache } from 'lru-cache';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLine } from '../../../storage/json-lines.js';
import { readRowsAtOnce } from '../../../storage/stored-file.js';
import type { PartLine } from '../results.js';

/** Parts kept in memory while rows are merged; lanes progress at a similar pace, so a few are enough. */
const PARTS_IN_MEMORY = 32;

/** Reads a part. @throws StorageError if it is missing: the results would be incomplete. */
export function readPart(store: ArtifactStore, key: string): Promise<PartLine[]> {
  return readRowsAtOnce(store, key);
}

export async function writePart(
  store: ArtifactStore,
  key: string,
  lines: readonly PartLine[],
): Promise<void> {
  await store.write(key, lines.map(jsonLine).join(''));
}

interface Entry {
  index: number;
  trial: number;
  part: number;
  line: number;
}

export type EpisodeLine = Extract<PartLine, { kind: 'episode' }>;
export type MemoryLine = Extract<PartLine, { kind: 'memory' }>;

/**
 * Rows of many parts in the order of samples and trials. Holds an index of four numbers per row and a few parts, never
 * all rows. If several parts hold the same row, the part that is listed last counts.
 */
export class MergedParts {
  private readonly parts = new LRUCache<number, Promise<PartLine[]>>({ max: PARTS_IN_MEMORY });
  private constructor(
    private readonly store: ArtifactStore,
    private readonly keys: readonly string[],
    private readonly episodeEntries: Entry[],
    private readonly memoryEntries: Entry[],
  ) {}

  static async open(store: ArtifactStore, keys: readonly string[]): Promise<MergedParts> {
    const episodes = new Map<string, Entry>();
    const memories = new Map<number, Entry>();
    for (const [part, key] of keys.entries()) {
      for (const [number, line] of (await readPart(store, key)).entries()) {
        const trial = line.kind === 'episode' ? line.trial : 0;
        const entry = { index: line.index, trial, part, line: number };
        if (line.kind === 'episode') episodes.set(`${line.index}/${trial}`, entry);
        else memories.set(line.index, entry);
      }
    }
    return new MergedParts(store, keys, inOrder(episodes.values()), inOrder(memories.values()));
  }

  async *episodes(): AsyncGenerator<EpisodeLine> {
    for (const entry of this.episodeEntries) yield (await this.read(entry)) as EpisodeLine;
  }

  /** Yields the episodes of one sample at a time, trials in order. */
  async *samples(): AsyncGenerator<EpisodeLine[]> {
    let lines: EpisodeLine[] = [];
    for await (const line of this.episodes()) {
      if (lines.length > 0 && lines[0]?.index !== line.index) {
        yield lines;
        lines = [];
      }
      lines.push(line);
    }
    if (lines.length > 0) yield lines;
  }

  async *memories(): AsyncGenerator<MemoryLine> {
    for (const entry of this.memoryEntries) yield (await this.read(entry)) as MemoryLine;
  }

  private async read(entry: Entry): Promise<PartLine> {
    let part = this.parts.get(entry.part);
    if (part === undefined) {
      part = readPart(this.store, this.keys[entry.part] as string);
      this.parts.set(entry.part, part);
    }
    return (await part)[entry.line] as PartLine;
  }
}

function inOrder(entries: Iterable<Entry>): Entry[] {
  return [...entries].sort((left, right) => left.index - right.index || left.trial - right.trial);
}
