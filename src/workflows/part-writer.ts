import type { WritePartInput } from '../contracts/activities.js';
import type { EpisodeRecord } from '../contracts/results.js';
import type { RunPlan } from '../contracts/run.js';
import { localArtifacts } from './proxies.js';

/** Episodes held back before a part is written. */
const EPISODES_PER_PART = 64;
/** Milliseconds that a finished episode waits at most, as long as others follow. */
const LONGEST_WAIT = 10_000;

/**
 * Writes a shard's results as numbered part files. A part is written once it is large or old enough, in the
 * background; its number makes a repeated write land on the same object.
 */
export class PartWriter {
  private episodes: EpisodeRecord[] = [];
  private memories: WritePartInput['memories'] = [];
  private lastWrite = Date.now();
  private writing: Promise<void> = Promise.resolve();
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly plan: RunPlan,
    private readonly shard: number,
    /** Number of the next part. */
    public sequence: number,
  ) {}

  /** @throws what an earlier write failed with for good. */
  add(episode: EpisodeRecord): void {
    if (this.failure !== undefined) throw this.failure.error;
    this.episodes.push(episode);
    const due = Date.now() - this.lastWrite >= LONGEST_WAIT;
    if (due || this.episodes.length >= EPISODES_PER_PART) this.write();
  }

  addMemory(memory: WritePartInput['memories'][number]): void {
    this.memories.push(memory);
  }

  /** Writes what is left and waits for every write. */
  async flush(): Promise<void> {
    if (this.episodes.length > 0 || this.memories.length > 0) this.write();
    await this.writing;
    if (this.failure !== undefined) throw this.failure.error;
  }

  private write(): void {
    const part: WritePartInput = {
      run: this.plan.run,
      execution: this.plan.execution,
      shard: this.shard,
      sequence: this.sequence++,
      episodes: this.episodes,
      memories: this.memories,
    };
    this.episodes = [];
    this.memories = [];
    this.lastWrite = Date.now();
    this.writing = this.writing
      .then(() => localArtifacts.writePart(part))
      .catch((error: unknown) => {
        this.failure ??= { error };
      });
  }
}
