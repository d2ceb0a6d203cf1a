import type { Json, JsonObject } from '../../../contracts/json.js';
import type { Purpose } from '../../../contracts/language-model.js';
import type { EpisodeCall, StepRecord } from '../../../contracts/results.js';
import type { JournalEntry, MemorySnapshot } from '../../../memory/memory-module.js';
import type { OpenedSample } from '../../../runtime/ports.js';
import type { Standing } from './totals.js';

/** An episode between two steps; plain JSON, so that it can be carried into another workflow execution. */
export interface EpisodeState {
  environment: Json;
  obs: string;
  agent: JsonObject;
  steps: StepRecord[];
  reward: number;
  calls: EpisodeCall[];
  /** What failed without spoiling the grade, such as a reflection. */
  warnings: string[];
  ordinals: Partial<Record<Purpose, number>>;
  /** Programs run so far. */
  executions?: number;
  started_at: number;
}

/** The entries of a memory that are not written down yet. */
export interface JournalState {
  /** Number of the first of them. */
  from: number;
  entries: JournalEntry[];
  /** Number of the next batch. */
  sequence: number;
}

/** Where a lane stands. A lane is an ordered list of samples that share one memory. */
export interface LaneState {
  /** The lane's samples, by slot, first included, last excluded. */
  from: number;
  to: number;
  /** The slot in work. */
  slot: number;
  trial: number;
  /** The sample in work, as it was opened. */
  sample?: OpenedSample;
  /** The sample before it; its memory is what the lane holds when it ends. */
  last_sample?: { index: number; id: string };
  /** How the newest finished episode of the sample in work was booked. */
  booked?: { index: number; standing: Standing };
  memory: MemorySnapshot | null;
  /** The memory as the sample in work found it; kept only where trials must not build on each other. */
  memory_before_sample?: MemorySnapshot | null;
  /** Absent where nothing was journaled. */
  journal?: JournalState;
  /** Only between two steps of an episode. */
  episode?: EpisodeState;
}

export function newLane(from: number, to: number, memory: MemorySnapshot | null): LaneState {
  return { from, to, slot: from, trial: 0, memory };
}
