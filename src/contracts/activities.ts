import type { ExperienceEntry } from '../memory/entries.js';
import type { JournalEntry } from '../memory/memory-module.js';
import type { CodeRequest } from './agent.js';
import type { StepOutcome } from './environment.js';
import type { ExecutionIdentity, ExecutionResult } from './execution.js';
import type { Json, JsonObject } from './json.js';
import type { GenerateReply, Purpose } from './language-model.js';
import type { EmbeddingTotals, EpisodeError, Metrics, RunStatus, StepRecord } from './results.js';
import type { AwaitedStep, GenerateInput, RunInput, RunPlan } from './run.js';
import type { Unkept } from './step-cost.js';

/** What the workflow learns of an answered call; the whole record is in the artifact store. */
export interface GeneratedReply extends Omit<GenerateReply, 'model' | 'cost_usd' | 'adapted'> {
  /** US dollars; absent where the price is not known. */
  cost_usd?: number;
  /** Requests that a crash cut off, and those that it may have cut off; absent where there was none. */
  repeated?: number;
  maybe_repeated?: number;
  /** An earlier execution has paid for it, and the run's totals began with it; absent where that is not so. */
  counted?: true;
  /** What this activity has sent beside the request that was answered; absent where there was nothing. */
  unkept?: Unkept;
  /** The environment's answer to `text` as an action, where the input asked for it. */
  step?: StepAnswer;
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
}

/** A sample that an environment has reset; see `runtime/ports.ts`. */
export interface OpenedSampleRow {
  index: number;
  id: string;
  state: Json;
  obs: string;
  /** Why the environment could not begin; absent where it did. */
  problem?: EpisodeError;
}

export interface StepEnvironmentInput extends AwaitedStep {
  run: string;
  action: string;
}

/**
 * What a lane needs of a step's outcome, or why the step could not be taken. After the last step of an episode there is
 * neither a state nor an observation; `info` is left out where it is empty.
 */
export type StepAnswer =
  | (Omit<StepOutcome, 'info' | 'state' | 'obs'> & Partial<Pick<StepOutcome, 'info' | 'state' | 'obs'>>)
  | { error: EpisodeError };

/** Activities that environments run behind. */
export interface EnvironmentActivities {
  openSamples(input: OpenSamplesInput): Promise<OpenedSampleRow[]>;
  stepEnvironment(input: StepEnvironmentInput): Promise<StepAnswer>;
}

export interface WritePartInput {
  run: string;
  execution: string;
  shard: number;
  sequence: number;
  /** Tells the shard's execution from others. */
  by: string;
  episodes: CompactEpisode[];
  /** The memory that a shared lane ended with, and its last sample. */
  memory?: MemoryPart;
  /** What samples with a memory of their own ended with: a journaled one, or a user's agent's. Others are made from rows. */
  sample_memories?: MemoryPart[];
}

export interface MemoryPart {
  index: number;
  sample_id: string;
  memory: JsonObject;
  /** Of a sample's own journaled memory. */
  entries?: JournalEntry[];
}

/** Entries of a lane's journal, to be written down. Written again, they are the same object. */
export interface JournalBatch {
  run: string;
  execution: string;
  /** The lane, by its first slot. */
  lane: number;
  sequence: number;
  /** Number of the first entry; whatever stood there or later counts no more. */
  from: number;
  entries: JournalEntry[];
}

/** A search in a lane's memory. The batch is written first; only where samples share the lane is it written at all. */
export interface SearchExperiencesInput extends JournalBatch {
  /** How many entries the lane's memory has. */
  count: number;
  /** Absent: the newest are wanted. */
  text?: string;
  k: number;
  /** The sample that asks; absent where an agent does not say. */
  sample_id?: string;
}

export interface FoundExperiences {
  experiences: ExperienceEntry[];
  /** What the search paid for embeddings; absent where it paid nothing. */
  embeddings?: EmbeddingTotals;
}

/** Activities behind a lane's memory. */
export interface MemoryActivities {
  keepEntries(batch: JournalBatch): Promise<void>;
  searchExperiences(input: SearchExperiencesInput): Promise<FoundExperiences>;
}

export interface ExecuteCodeInput extends CodeRequest {
  run: string;
  execution: ExecutionIdentity;
}

/** Activities that run programs in the sandbox. */
export interface ExecutionActivities {
  executeCode(input: ExecuteCodeInput): Promise<ExecutionResult>;
}

/** A call of an episode as it stands in a history; how often it was repeated, or may have been, is left out where it was not. */
export type CompactCall = [
  purpose: Purpose,
  ordinal: number,
  step: number,
  repeated?: number,
  maybe_repeated?: number,
];

/**
 * An episode as it stands in a history: a step whose action and outcome lie in a call's record is only the ordinal of
 * that call, and what is empty is left out.
 */
export interface CompactEpisode {
  index: number;
  id: string;
  /** Absent: 0. */
  trial?: number;
  /** Absent: one step, by the first `act` call. */
  steps?: (number | StepRecord)[];
  /** Absent: one `act` call. */
  calls?: CompactCall[];
  /** Programs that were run; absent: none. */
  executions?: number;
  agent_metrics?: Record<string, number>;
  reward: number;
  error?: EpisodeError;
  unjudged?: string;
  warnings?: string[];
  /** Milliseconds since 1970, and how long it took. */
  at: number;
  took: number;
}

export interface FinalizeInput {
  plan: RunPlan;
  status: RunStatus;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** What this workflow has worked, where its time has a limit; else the time from its start to its end is taken for that. */
  worked_seconds?: number;
}

/** Activities that read and write a run's artifacts. Every one may be repeated. */
export interface RunActivities {
  prepareRun(input: RunInput): Promise<RunPlan>;
  /** The memory to begin with; of one slot's sample, where each has its own. */
  loadMemory(input: { run: string; slot?: number }): Promise<JsonObject | null>;
  writePart(input: WritePartInput): Promise<void>;
  finalizeRun(input: FinalizeInput): Promise<Metrics>;
}
