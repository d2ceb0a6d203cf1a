import type { AgentConfig } from '../../config/agent-schemas.js';
import type { MemoryConfig } from '../../config/memory-schemas.js';
import type { CodeRequest } from '../../contracts/agent.js';
import type { AwaitedStep, StepAnswer } from '../../contracts/environment.js';
import type { ExecutionIdentity, ExecutionResult } from '../../contracts/execution.js';
import type { BudgetReport, Limits, ReceivedRequests, Spending } from '../../contracts/experiment.js';
import type { JsonObject } from '../../contracts/json.js';
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
import type { LaneRules, OpenedSample } from '../../runtime/ports.js';
import type { LaneState } from './lane/lane-state.js';
import type { OwnLaneResult } from './own-lane.js';
import type { EmbeddingTotals, Metrics } from './results.js';

/**
 * Input of the workflow `run`: a config's path on the worker, or the config itself. The first form is for `temporal
 * workflow start --input '{"config_path": "configs/x.yaml"}'`.
 */
export type RunInput =
  | { config_path: string; set?: string[]; name?: string; results_dir?: string }
  | JsonObject;
/** Reports whether a run's agent or memory is a user's: its lanes run in threads. */
export function hasOwnCode({ agent, memory }: Pick<RunPlan, 'agent' | 'memory'>): boolean {
  return 'file' in agent || memory._type === 'own';
}

/** Plan that `prepareRun` returns: everything that the workflow needs, and small, because it is part of a history. */
export interface RunPlan {
  /** Reference for activities: the experiment's folder and this execution; see {@link runReference}. */
  run: string;
  /** URI of the experiment's folder. */
  artifacts: string;
  /** Name of the folder, which is the experiment's id. */
  experiment: string;
  /** Id of this execution, used in the keys of its part files. */
  execution: string;
  name: string;
  /** Model as `provider/model`. */
  model: string;
  simulated: boolean;
  /**
   * Samples to visit now (slots), and all samples of the run, including finished ones. Each epoch of a row of the
   * dataset is a sample of its own.
   */
  slots: number;
  samples_planned: number;
  rules: LaneRules;
  memory_scope: 'run' | 'sample';
  /** `unit` if bundles of lanes are activities; absent: each call is one. */
  grain?: 'unit';
  concurrency: number;
  memory: MemoryConfig;
  /** Memory of an earlier run that is loaded: none, one for all samples, or each sample's own. */
  load_memory: 'none' | 'shared' | 'per_sample';
  agent: AgentConfig;
  limits: Limits;
  /** True if the run ends once enough is known. */
  decides?: true;
  /** Limit of requests per call, and of seconds per request. */
  max_attempts: number;
  timeout_sec: number;
  /** Search attributes that this server knows. */
  search_attributes: string[];
  /** Totals of earlier executions: of finished samples, which are not run again, and of all costs. */
  kept: Totals;
  spent_wall_seconds: number;
  /** Sentences for people on what the config means for order and prompts. */
  means: readonly string[];
  /** Trial of a sample that determines whether the sample is correct. */
  accuracy_of: Metrics['accuracy_of'];
  /** Grading of each answer by models; absent if there is none. */
  grading?: PlannedGrading;
}
/** Requests for a readable verdict of one vote. */
export const GRADE_TRIES = 3;

/** Calls of models that grade each answer. */
interface PlannedGrading {
  /** Votes in the order of their scorers, with the limits of their models. */
  votes: { scorer: string; timeout_sec: number; max_attempts: number }[];
  /** Scorers that compare vectors. */
  vectors: string[];
}
/** Totals of a run. */
export interface Totals extends Beside, Repeats {
  samples: number;
  correct: number;
  errors: number;
  /** Errors by their type; absent if none. */
  errors_by_type?: Record<string, number>;
  episodes: number;
  lm_calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
}
/** State of a run's lanes between two of its executions. */
export interface RunWork {
  /** Next slot that no lane has begun. */
  next: number;
  lanes: LaneState[];
  /** Number of parts written. */
  sequence: number;
}
/** State of a run between two of its executions. */
export interface RunCarried {
  plan: RunPlan;
  /** Start of the first execution, in milliseconds since 1970. */
  started_at: number;
  /** Seconds worked so far, if time is limited. */
  worked_seconds?: number;
  asked: ReceivedRequests;
  /** Totals of the executions so far. */
  totals: Totals;
  /** Spending of replies that were lost with attempts of bundles, and are not found again yet; absent: none. */
  lost?: Spending;
  work: RunWork;
}
/** Type of the workflow of a bundle of lanes, which is run in a worker's process. */
export const LANES = 'lanes';

/** Update of a run: a bundle reports, and is dealt further lanes. */
export const DEAL_LANES = 'dealLanes';

/** Query of a run: how a bundle is to go on. */
export const LANE_ORDERS = 'laneOrders';

/** Report of a bundle of lanes, and its request for more. */
export interface LaneRequest {
  /** Number of the bundle, and of its attempt. */
  bundle: number;
  attempt: number;
  /** Number of lanes that it has use for. */
  want: number;
  /** Lanes that have ended since the last report, by their first slot, with all rows stored. */
  ended: number[];
  /** Number of samples in progress, and the oldest of them; absent: none. */
  running: number;
  oldest?: LaneInProgress | undefined;
  totals: BundleTotals;
  /** Calls that it was granted, returns and requests; only if limits count calls. */
  calls?: Omit<BudgetReport, 'spent'>;
}

/** First slot of a lane in progress, and when it was begun, in milliseconds since 1970. */
export type LaneInProgress = [slot: number, since: number];

/** Totals of a bundle's attempt: of the lanes that it has reported as ended, and of all others. */
export interface BundleTotals {
  ended: Totals;
  open: Totals;
  /** Spending among both of replies that an earlier attempt had stored. */
  found: Spending;
}

/** How a bundle is to go on. */
export interface LaneOrders {
  /** Number of lanes at once. */
  lanes: number;
  isPaused: boolean;
  mustEnd: boolean;
  isOver: boolean;
  handsOver: boolean;
  /** Number of calls that it is granted in total; only if limits count calls. */
  granted?: number;
  /** True if others wait for calls: granted ones that are not needed yet are returned. */
  isShort?: boolean;
}

export interface Dealt {
  /** Lanes; those that were lost with an earlier attempt say so. */
  lanes: LaneState[];
  /** True if another attempt works as this bundle, or none is expected to. */
  isOld?: boolean;
  orders: LaneOrders;
}

/** Result of a bundle. */
export interface LaneBundleResult {
  /** Lanes that are not finished. */
  left: LaneState[];
  /** Totals of this attempt, and the spending among them of replies that an earlier one had stored. */
  totals: Totals;
  found: Spending;
  /** Reason why nothing further can succeed; null if there is none. */
  fatal: string | null;
}

/** State of a lane of many samples, from which a bundle continues it after a crash. */
export interface KeptLane {
  state: LaneState;
  totals: Totals;
}

/** Activities of a bundle, which ask the run's workflow. */
export interface BundleActivities {
  /** @param update distinguishes the request from others; a repeated one has the same answer. */
  dealLanes(input: { run: string; update: string; deal: LaneRequest }): Promise<Dealt>;
  laneOrders(input: { run: string; bundle: number }): Promise<LaneOrders>;
  keepLane(input: { run: string; execution: string; lane: KeptLane }): Promise<void>;
  keptLane(input: { run: string; execution: string; from: number }): Promise<KeptLane | null>;
}

/** Activities within a process: they call functions that a session of the same process offers. */
export interface OwnLaneActivities {
  /** Runs a lane whose agent or memory is a user's. @param session name of what its session offers */
  runOwnLane(input: { run: string; session: string; state: LaneState }): Promise<OwnLaneResult>;
}

/** Result of the `progress` query of a run; its units are samples. */
export interface RunProgress
  extends ExperimentProgress<'run', Metrics>,
    Pick<Totals, 'correct' | 'episodes'> {
  /** Share of correct among judged samples; null before the first. */
  accuracy: number | null;
  /** Trial of a sample that the accuracy refers to; absent while the run is being prepared. */
  accuracy_of?: Metrics['accuracy_of'];
  /** Sentences for people on what the config means for order and prompts. */
  means?: readonly string[];
}
/** Result of the workflow `run`. */
export interface RunResult {
  artifacts: string;
  metrics: Metrics;
}
/** Input of the activity `generate`. The model's configuration is read from the run's folder. */
export interface GenerateInput {
  run: string;
  call: CallIdentity;
  messages: ChatMessage[];
  parameters?: GenerateParameters;
  tools?: ToolDefinition[];
  /** Environment step that awaits the reply as its action: it is taken in the same activity. */
  step?: AwaitedStep;
  /** Outcomes of this call's earlier requests, if each request needs a grant of its own. */
  before?: AskedBefore;
}
/** Activities that call a language model. */
export interface LanguageModelActivities {
  generate(input: GenerateInput): Promise<GeneratedReply>;
}
/** Graded action: the ordinal of the `act` call that it was, or its text. */
export type GradedAction = { act: number } | { text: string };

/** Input of the activity `gradeAnswer`. The ordinal of the call says which vote it is, and which try. */
export interface GradeAnswerInput {
  run: string;
  /** Sample of the answer. */
  index: number;
  call: CallIdentity;
  action: GradedAction;
  before?: AskedBefore;
}
/** Reply of a model that grades, without its text. */
export interface GradedReply extends GeneratedReply {
  /** False: it holds no verdict. */
  is_read: boolean;
}
/** Activities by which models grade answers. */
export interface GradingActivities {
  gradeAnswer(input: GradeAnswerInput): Promise<GradedReply>;
  /** Pays for the vectors of an answer and of the right ones, which are stored. */
  embedAnswer(input: {
    run: string;
    index: number;
    scorer: string;
    call: { sample_id: string; trial: number };
    action: GradedAction;
  }): Promise<Pick<FoundExperiences, 'embeddings'>>;
}
interface OpenSamplesInput {
  run: string;
  /** First slot to open; at most `count` are opened, at least one. */
  from: number;
  count: number;
}
interface StepEnvironmentInput extends AwaitedStep {
  run: string;
  action: string;
}
/** Activities that run environments. */
export interface EnvironmentActivities {
  openSamples(input: OpenSamplesInput): Promise<OpenedSample[]>;
  stepEnvironment(input: StepEnvironmentInput): Promise<StepAnswer>;
}
export interface WritePartInput {
  run: string;
  execution: string;
  sequence: number;
  /** Identifier of the workflow's execution. */
  by: string;
  episodes: CompactEpisode[];
  /** Final memory of a shared lane, with its last sample. */
  memory?: MemoryPart;
  /**
   * Final memories of samples with a memory of their own, if journaled or of a user's agent. Others are rebuilt from
   * rows.
   */
  sample_memories?: MemoryPart[];
}
export interface MemoryPart {
  index: number;
  sample_id: string;
  memory: JsonObject;
  /** Entries of a sample's own journaled memory. */
  entries?: JournalEntry[];
}
/** Entries of a lane's journal that are to be stored. Repeating the write produces the same object. */
export interface JournalBatch {
  run: string;
  execution: string;
  /** Lane, by its first slot. */
  lane: number;
  sequence: number;
  /** Number of the first entry; stored entries from this number on are replaced. */
  from: number;
  entries: JournalEntry[];
}
/** Search in a lane's memory. The batch is stored first, but only if samples share the lane. */
export interface SearchExperiencesInput extends JournalBatch {
  /** Number of entries in the lane's memory. */
  count: number;
  /** Text to search for; absent: returns the newest. */
  text?: string;
  k: number;
  /** Sample that the search is for; absent if an agent does not say. */
  sample_id?: string;
}
export interface FoundExperiences {
  experiences: ExperienceEntry[];
  /** Cost of the search's embeddings; absent if it paid nothing. */
  embeddings?: EmbeddingTotals;
}
/** Activities of a lane's memory. */
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
/**
 * Call of an episode as stored in a history; counts of known and possible repetitions are left out if there were none.
 */
export type CompactCall = [
  purpose: Purpose,
  ordinal: number,
  step: number,
  repeated?: number,
  maybe_repeated?: number,
];
/**
 * Episode as stored in a history: a step whose action and outcome are in a call's record is only the ordinal of that
 * call, and empty fields are left out.
 */
export interface CompactEpisode {
  index: number;
  id: string;
  /** Trial; absent: 0. */
  trial?: number;
  /** Steps; absent: one step, by the first `act` call. */
  steps?: (number | StepRecord)[];
  /** Calls; absent: one `act` call. */
  calls?: CompactCall[];
  /** Number of programs that were run; absent if none. */
  executions?: number;
  agent_metrics?: Record<string, number>;
  reward: number;
  error?: EpisodeError;
  unjudged?: string;
  warnings?: string[];
  /** Start in milliseconds since 1970, and duration. */
  at: number;
  took: number;
}
export interface FinalizeInput {
  plan: RunPlan;
  status: RunStatus;
  message: string | null;
  /** Start and end, in milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** Seconds that this workflow worked, if time is limited; default: the time from start to end. */
  worked_seconds?: number;
}
/** Activities that read and write a run's artifacts. Each may be repeated. */
export interface RunActivities {
  prepareRun(input: RunInput): Promise<RunPlan>;
  /** Returns the memory to begin with; that of one slot's sample if each has its own. */
  loadMemory(input: { run: string; slot?: number }): Promise<JsonObject | null>;
  writePart(input: WritePartInput): Promise<void>;
  /** Returns why enough is known for `limits.stop_when`; null if it is not. */
  decide(input: { run: string; execution: string }): Promise<string | null>;
  finalizeRun(input: FinalizeInput): Promise<Metrics>;
}
