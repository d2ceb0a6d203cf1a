import type { AgentConfig } from '../../config/agent-schemas.js';
import type { MemoryConfig } from '../../config/memory-schemas.js';
import type { CodeRequest } from '../../contracts/agent.js';
import type { AwaitedStep, StepAnswer } from '../../contracts/environment.js';
import type { ExecutionIdentity, ExecutionResult } from '../../contracts/execution.js';
import type { Asked, Limits } from '../../contracts/experiment.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type {
  CallIdentity,
  ChatMessage,
  GeneratedReply,
  GenerateParameters,
  Purpose,
  ToolDefinition,
} from '../../contracts/language-model.js';
import type { ExperimentProgress } from '../../contracts/progress.js';
import type { EpisodeError, RunStatus, StepRecord } from '../../contracts/results.js';
import type { AskedBefore, Beside, Repeats } from '../../contracts/step-cost.js';
import type { ExperienceEntry } from '../../memory/entries.js';
import type { JournalEntry } from '../../memory/memory-module.js';
import type { LaneRules } from '../../runtime/ports.js';
import type { LaneState } from './lane/lane-state.js';
import type { EmbeddingTotals, Metrics } from './results.js';

/**
 * The input of the workflow `run`: a config's path on the worker, or the config itself.
 * The first form is for `temporal workflow start --input '{"config_path": "configs/x.yaml"}'`.
 */
export type RunInput =
  | { config_path: string; set?: string[]; name?: string; results_dir?: string }
  | JsonObject;
/** What `prepareRun` found out: everything that the workflows need, and small, because it stands in a history. */
export interface RunPlan {
  /** What activities are handed: the experiment's folder and this execution; see {@link runReference}. */
  run: string;
  /** URI of the experiment's folder. */
  artifacts: string;
  /** The folder's name, which is the experiment's id. */
  experiment: string;
  /** Names this execution's part files. */
  execution: string;
  name: string;
  /** `provider/model`. */
  model: string;
  simulated: boolean;
  /** Samples to visit now (slots), and all of the run, kept ones included. */
  slots: number;
  samples_planned: number;
  rules: LaneRules;
  memory_scope: 'run' | 'sample';
  concurrency: number;
  memory: MemoryConfig;
  /** Whether an earlier run's memory is loaded: one for all, or each sample's own. */
  load_memory: 'none' | 'shared' | 'per_sample';
  agent: AgentConfig;
  limits: Limits;
  /** Requests per call, and seconds one may take. */
  max_attempts: number;
  timeout_sec: number;
  /** Search attributes that this server knows. */
  search_attributes: string[];
  /** Samples that an earlier, unfinished execution finished; they are not run again. */
  kept: Totals;
  spent_wall_seconds: number;
  /** What the config means for order and prompts, for people. */
  means: readonly string[];
  /** Which trial of a sample says whether it is correct. */
  accuracy_of: Metrics['accuracy_of'];
}
/** Totals of a run. */
export interface Totals extends Beside, Repeats {
  samples: number;
  correct: number;
  errors: number;
  /** Absent: none. */
  errors_by_type?: Record<string, number>;
  episodes: number;
  lm_calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
}
/** Where a run's lanes stand between two of its executions. */
export interface RunWork {
  /** The next slot that no lane has begun. */
  next: number;
  lanes: LaneState[];
  /** Parts written. */
  sequence: number;
}
/** Where a run stands between two of its executions. */
export interface RunCarried {
  plan: RunPlan;
  /** Milliseconds since 1970. */
  started_at: number;
  /** What it has worked so far, where its time has a limit. */
  worked_seconds?: number;
  asked: Asked;
  /** What it has done so far. */
  totals: Totals;
  work: RunWork;
}
/** The answer of the `progress` query of a run; its units are samples. */
export interface RunProgress
  extends ExperimentProgress<'run', Metrics>,
    Pick<Totals, 'correct' | 'episodes'> {
  /** Correct of judged; null before the first. */
  accuracy: number | null;
  /** Which trial of a sample that is of; absent while the run is being prepared. */
  accuracy_of?: Metrics['accuracy_of'];
  /** What its config means for order and prompts, for people. */
  means?: readonly string[];
}
/** The result of the workflow `run`. */
export interface RunResult {
  artifacts: string;
  metrics: Metrics;
}
/** The input of the activity `generate`. The model's configuration is read from the run's folder. */
export interface GenerateInput {
  run: string;
  call: CallIdentity;
  messages: ChatMessage[];
  parameters?: GenerateParameters;
  tools?: ToolDefinition[];
  /** The environment that awaits the reply as its action: it is stepped in the same activity. */
  step?: AwaitedStep;
  /** Where each request needs leave of its own: what those before this one came to. */
  before?: AskedBefore;
}
/** Activities that call a language model. */
export interface LanguageModelActivities {
  generate(input: GenerateInput): Promise<GeneratedReply>;
}
interface OpenSamplesInput {
  run: string;
  /** First slot wanted; at most `count` are opened, at least one. */
  from: number;
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
interface StepEnvironmentInput extends AwaitedStep {
  run: string;
  action: string;
}
/** Activities that environments run behind. */
export interface EnvironmentActivities {
  openSamples(input: OpenSamplesInput): Promise<OpenedSampleRow[]>;
  stepEnvironment(input: StepEnvironmentInput): Promise<StepAnswer>;
}
export interface WritePartInput {
  run: string;
  execution: string;
  sequence: number;
  /** Tells the workflow's execution from others. */
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
