import type { EpisodeCall, EpisodeRecord } from '../../../contracts/results.js';
import { workflowInfo } from '../../../workflows/sdk.js';
import type { CompactCall, CompactEpisode, MemoryPart, RunPlan, WritePartInput } from '../contracts.js';
import { artifacts } from './activities.js';

/** Episodes collected before a part is written. */
const EPISODES_PER_PART = 64;
/** Limit of milliseconds that a finished episode waits, as long as others follow. */
const LONGEST_WAIT = 10_000;

function compactCall({ purpose, ordinal, step, repeated, maybe_repeated }: EpisodeCall): CompactCall {
  if (maybe_repeated !== undefined) return [purpose, ordinal, step, repeated ?? 0, maybe_repeated];
  return repeated === undefined ? [purpose, ordinal, step] : [purpose, ordinal, step, repeated];
}

const isRepeated = ({ repeated, maybe_repeated }: EpisodeCall) =>
  repeated !== undefined || maybe_repeated !== undefined;

function compact(episode: EpisodeRecord): CompactEpisode {
  const { index, sample_id, trial, steps, calls, reward, error, warnings, started_at, ended_at } = episode;
  const { executions, agent_metrics, unjudged } = episode;
  const oneStep = steps.length === 1 && steps[0]?.act === 0;
  const [first] = calls;
  const oneCall = calls.length === 1 && first?.purpose === 'act' && first.step === 0 && !isRepeated(first);
  return {
    index,
    id: sample_id,
    ...(trial === 0 ? {} : { trial }),
    ...(oneStep ? {} : { steps: steps.map((step) => step.act ?? step) }),
    ...(oneCall ? {} : { calls: calls.map(compactCall) }),
    ...(executions === undefined ? {} : { executions }),
    ...(agent_metrics === undefined ? {} : { agent_metrics }),
    reward,
    ...(error === null ? {} : { error }),
    ...(unjudged === undefined ? {} : { unjudged }),
    ...(warnings.length === 0 ? {} : { warnings }),
    at: started_at,
    took: ended_at - started_at,
  };
}

/**
 * Writer of a run's results as numbered part files. A part is written in the background once it is large or old enough;
 * its number makes a repeated write produce the same object.
 */
export class PartWriter {
  private episodes: CompactEpisode[] = [];
  private memory: MemoryPart | undefined;
  private sampleMemories: MemoryPart[] = [];
  private lastWrite = Date.now();
  private readonly writes: Promise<void>[] = [];
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly plan: RunPlan,
    /** Number of the next part. */
    public sequence: number,
  ) {}

  /** Adds an episode. @throws the error of an earlier write that failed permanently. */
  add(episode: EpisodeRecord): void {
    if (this.failure !== undefined) throw this.failure.error;
    this.episodes.push(compact(episode));
    const due = Date.now() - this.lastWrite >= LONGEST_WAIT;
    if (due || this.episodes.length >= EPISODES_PER_PART) this.write();
  }

  setMemory(memory: MemoryPart): void {
    this.memory = memory;
  }

  /** Adds the memory of a sample with one of its own to the next part. */
  addSampleMemory(memory: MemoryPart): void {
    this.sampleMemories.push(memory);
  }

  /** Writes what is left and waits for every write. */
  async flush(): Promise<void> {
    const memories = this.memory !== undefined || this.sampleMemories.length > 0;
    if (this.episodes.length > 0 || memories) this.write();
    await Promise.all(this.writes.splice(0));
    if (this.failure !== undefined) throw this.failure.error;
  }

  private write(): void {
    const part: WritePartInput = {
      run: this.plan.run,
      execution: this.plan.execution,
      sequence: this.sequence++,
      by: workflowInfo().runId.slice(-12),
      episodes: this.episodes,
      ...(this.memory === undefined ? {} : { memory: this.memory }),
      ...(this.sampleMemories.length === 0 ? {} : { sample_memories: this.sampleMemories }),
    };
    this.episodes = [];
    this.memory = undefined;
    this.sampleMemories = [];
    this.lastWrite = Date.now();
    const writing = artifacts.writePart(part).catch((error: unknown) => {
      this.failure ??= { error };
    });
    this.writes.push(writing);
  }
}
