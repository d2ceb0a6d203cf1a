import type { StepOutcome } from './environment.js';
import type { Json, JsonObject } from './json.js';
import type { GenerateReply } from './language-model.js';
import type { EpisodeError, EpisodeRecord, Metrics, RunStatus } from './results.js';
import type { GenerateInput, RunInput, RunPlan } from './run.js';

/** What the workflow learns of an answered call; the whole record is in the artifact store. */
export interface GeneratedReply extends Omit<GenerateReply, 'model'> {
  cost_usd: number | null;
  /** Attempts that a crash cut off after the request may have been sent; absent where there was none. */
  repeated?: number;
}

/** Activities that call a language model. */
export interface LanguageModelActivities {
  generate(input: GenerateInput): Promise<GeneratedReply>;
}

export interface OpenSamplesInput {
  run: string;
  /** First slot wanted and the step between slots; at most `count` are opened, at least one. */
  from: number;
  stride: number;
  count: number;
  trial: number;
}

/** A sample that an environment has reset; see `runtime/ports.ts`. */
export interface OpenedSampleRow {
  index: number;
  id: string;
  state: Json;
  obs: string;
}

export interface StepEnvironmentsInput {
  run: string;
  items: { index: number; state: Json; action: string }[];
}

/** A step's outcome, or why it could not be taken; one bad step does not spoil the others of its batch. */
export type StepAnswer = StepOutcome | { error: EpisodeError };

/** Activities that environments run behind: local ones for the built-in, pure environments. */
export interface EnvironmentActivities {
  openSamples(input: OpenSamplesInput): Promise<OpenedSampleRow[]>;
  stepEnvironments(input: StepEnvironmentsInput): Promise<StepAnswer[]>;
}

export interface WritePartInput {
  run: string;
  execution: string;
  shard: number;
  sequence: number;
  episodes: EpisodeRecord[];
  /** Memories of lanes that ended, by the index and id of their last sample. */
  memories: { index: number; sample_id: string; memory: JsonObject }[];
}

export interface FinalizeInput {
  plan: RunPlan;
  status: RunStatus;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
}

/** Activities that read and write a run's artifacts. Every one may be repeated. */
export interface RunActivities {
  prepareRun(input: RunInput): Promise<RunPlan>;
  /** The memory to begin with; of one slot's sample, where each has its own. */
  loadMemory(input: { run: string; slot?: number }): Promise<JsonObject | null>;
  writePart(input: WritePartInput): Promise<void>;
  finalizeRun(input: FinalizeInput): Promise<Metrics>;
}
