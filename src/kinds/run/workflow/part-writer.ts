import type { EpisodeCall, EpisodeRecord } from '../../../contracts/results.js';
import {
  type CompactCall,
  type CompactEpisode,
  hasOwnCode,
  type MemoryPart,
  type RunPlan,
  type WritePartInput,
} from '../contracts.js';
import type { LaneState } from '../lane/lane-state.js';
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
  /** Ended lanes, by their first slot, with rows that are not written yet. */
  private unwritten: number[] = [];
  /** Ended lanes whose rows are all written. */
  private written: number[] = [];

  /** @param by who writes: nobody else uses its numbers */
  constructor(
    private readonly plan: RunPlan,
    /** Number of the next part. */
    public sequence: number,
    private readonly by: string,
  ) {}

  /** Adds an episode. @throws the error of an earlier write that failed permanently. */
  add(episode: EpisodeRecord): void {
    if (this.failure !== undefined) throw this.failure.error;
    this.episodes.push(compact(episode));
    const due = Date.now() - this.lastWrite >= LONGEST_WAIT;
    if (due || this.episodes.length >= EPISODES_PER_PART) this.write();
  }

  /**
   * Adds the memory of a lane that ended to the next part, if samples share it, if it is journaled, or if the agent is a
   * user's. Others are rebuilt from rows.
   */
  addMemory(lane: LaneState): void {
    const { plan } = this;
    const sample = lane.sample ?? lane.last_sample;
    if (lane.memory === null || sample === undefined) return;
    const end = { index: sample.index, sample_id: sample.id, memory: lane.memory };
    if (plan.memory_scope === 'run') this.memory = end;
    else if (lane.journal !== undefined) this.sampleMemories.push({ ...end, entries: lane.journal.entries });
    else if (hasOwnCode(plan)) this.sampleMemories.push(end);
  }

  /** Notes that a lane has added its last row. */
  laneEnded({ from }: LaneState): void {
    this.unwritten.push(from);
  }

  /** Returns the lanes, by their first slot, whose rows were all written since the last call. */
  takeWritten(): number[] {
    return this.written.splice(0);
  }

  /** Writes what is left and waits for every write. */
  async flush(): Promise<void> {
    const memories = this.memory !== undefined || this.sampleMemories.length > 0;
    if (this.episodes.length > 0 || memories) this.write();
    await Promise.all(this.writes.splice(0));
    if (this.failure !== undefined) throw this.failure.error;
    this.written.push(...this.unwritten.splice(0));
  }

  private write(): void {
    const part: WritePartInput = {
      run: this.plan.run,
      execution: this.plan.execution,
      sequence: this.sequence++,
      by: this.by,
      episodes: this.episodes,
      ...(this.memory === undefined ? {} : { memory: this.memory }),
      ...(this.sampleMemories.length === 0 ? {} : { sample_memories: this.sampleMemories }),
    };
    this.episodes = [];
    this.memory = undefined;
    this.sampleMemories = [];
    this.lastWrite = Date.now();
    const lanes = this.unwritten.splice(0);
    const writing = artifacts.writePart(part).then(
      () => void this.written.push(...lanes),
      (error: unknown) => {
        this.failure ??= { error };
      },
    );
    this.writes.push(writing);
  }
}
