import type { Json, JsonObject } from '../../../contracts/json.js';
import type { Purpose } from '../../../contracts/language-model.js';
import type { EpisodeCall, StepRecord } from '../../../contracts/results.js';
import type { JournalEntry, MemorySnapshot } from '../../../memory/memory-module.js';
import type { OpenedSample } from '../../../runtime/ports.js';
import type { EpisodeOutcome } from './totals.js';

/** State of an episode between two steps; plain JSON, so that another workflow execution can continue it. */
export interface EpisodeState {
  environment: Json;
  obs: string;
  agent: JsonObject;
  steps: StepRecord[];
  reward: number;
  calls: EpisodeCall[];
  /** Failures that did not affect the grade, such as that of a reflection. */
  warnings: string[];
  ordinals: Partial<Record<Purpose, number>>;
  /** Number of programs run so far. */
  executions?: number;
  started_at: number;
}

/** Entries of a memory that are not stored yet. */
export interface JournalState {
  /** Number of the first entry. */
  from: number;
  entries: JournalEntry[];
  /** Number of the next batch. */
  sequence: number;
}

/** State of a lane, which is an ordered list of samples that share one memory. */
export interface LaneState {
  /** Slots of the lane's samples, first included, last excluded. */
  from: number;
  to: number;
  /** Slot of the current sample. */
  slot: number;
  trial: number;
  /** Current sample, as it was opened. */
  sample?: OpenedSample;
  /** Previous sample; the lane's final memory is attributed to it. */
  last_sample?: { index: number; id: string };
  /** Outcome counted for the newest finished episode of the current sample. */
  booked?: { index: number; outcome: EpisodeOutcome };
  memory: MemorySnapshot | null;
  /** Memory before the current sample; kept only if trials must not build on each other. */
  memory_before_sample?: MemorySnapshot | null;
  /** Journal; absent if nothing was journaled. */
  journal?: JournalState;
  /** Episode between two of its steps. */
  episode?: EpisodeState;
  /** Workers that were lost with it since it was in this state; absent: none. */
  lost?: number;
}

/** Reports whether a lane is in the middle of an episode. */
export function isInEpisode({ episode }: LaneState): boolean {
  return episode !== undefined;
}

/** Reports whether a lane is at its beginning, without a memory. */
export function isNewLane({ memory, sample, last_sample }: LaneState): boolean {
  return memory === null && sample === undefined && last_sample === undefined;
}

/** Takes the first lane in the middle of an episode out of a list; undefined if there is none. */
export function takeInEpisode(lanes: LaneState[]): LaneState | undefined {
  const at = lanes.findIndex(isInEpisode);
  return at === -1 ? undefined : lanes.splice(at, 1)[0];
}

export function newLane(from: number, to: number, memory: MemorySnapshot | null): LaneState {
  return { from, to, slot: from, trial: 0, memory };
}
