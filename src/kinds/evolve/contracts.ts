import type { ChildExecution, Limits, ReceivedRequests, SpendingLeft } from '../../contracts/experiment.js';
import type { JsonObject } from '../../contracts/json.js';
import type { RunStatus } from '../../contracts/results.js';
import type { AskedBefore, StepCost } from '../../contracts/step-cost.js';
import type { CodeTraits } from './evolution/duplicates.js';
import type { ExecutorLimits } from './evolution/executor-limits.js';
import type { IdCounters } from './evolution/ids.js';
import type { IterationMemo } from './evolution/iteration-ports.js';
import type { RunType } from './evolution/layout.js';
import type { LineageNode } from './evolution/lineage.js';
import type { ScaffoldSpending } from './evolution/scaffold-costs.js';
import type { SelectionSettings, SelectionState } from './evolution/selection.js';
import type { EvolveMetrics, EvolveProgress } from './results.js';

/** The domains that come with Reprise. */
export const BUILT_IN_DOMAINS = [
  'crosswords',
  'mcq',
  'numeric',
  'game24',
  'equation_balancer',
  'circle_packing',
] as const;

/**
 * Input of the workflow `evolve`: a config's path on the worker, or the config itself. `fork` begins with the state of
 * another experiment after an iteration.
 */
export type EvolveInput =
  | {
      config_path: string;
      set?: string[];
      name?: string;
      results_dir?: string;
      fork?: { experiment: string; at_iteration: number };
    }
  | JsonObject;

/** Result of `prepareEvolve`; small, because it is stored in the workflow's history. */
export interface EvolvePlan {
  /** Reference to the experiment's folder and this execution, for activities; see `runReference`. */
  run: string;
  /** URI of the experiment's folder. */
  artifacts: string;
  /** The folder's name, `name_20260131_235959`. */
  experiment: string;
  execution: string;
  name: string;
  /** `provider/model` of the scaffolder, and of the executor: null where scaffolds have no model. */
  scaffolder_model: string;
  executor_model: string | null;
  num_iterations: number;
  scaffolds_per_iter: number;
  initial_scaffolds: number;
  num_validation_examples: number;
  concurrency: number;
  final_validation: boolean;
  selection: SelectionSettings;
  seed: number;
  scaffolder: {
    num_examples: number;
    feedback_examples: number;
    /** Absent where a scaffold is written in one reply. */
    agent?: { max_turns: number; draft_examples: number };
  };
  executor: ExecutorLimits | null;
  timeout_sec: number;
  max_attempts: number;
  lm_timeout_sec: number;
  /** Ids of the examples, in the order of the files. */
  train: string[];
  valid: string[];
  test: string[];
  limits: Limits;
  search_attributes: string[];
  /** State that the experiment begins with: fresh, continued, extended or forked. */
  state: EvolveState;
  spent_wall_seconds: number;
}

/** State that an iteration passes to the next. Stored after each iteration, so that an experiment can be extended. */
export interface EvolveState {
  /** Number of finished iterations, and of the next one. */
  next_iteration: number;
  ids: IdCounters;
  nodes: ScaffoldNode[];
  selection: SelectionState | null;
  /** Scaffolds that the last iteration made and the next one validates. */
  newcomers: string[];
  totals: EvolveTotals;
}

/** Scaffold in the state of an experiment. */
export interface ScaffoldNode extends LineageNode {
  /** Hash of the normalised code; absent where there is none. */
  fingerprint?: string;
  traits?: CodeTraits;
}

/** Cumulative totals of scaffolders and scaffolds together. */
export interface EvolveTotals extends StepCost {
  executions: number;
  executions_failed: number;
}

/** One run of a scaffold on an example. */
export interface ScaffoldJob {
  scaffold: string;
  /** The iteration of the run. */
  iteration: number;
  type: RunType;
  example: string;
  /** For the run of a draft: the try and the turn that wrote it, such as `0.2`. */
  draft?: string;
}

export interface ExecuteScaffoldInput extends ScaffoldJob {
  run: string;
  /** The iteration that made the scaffold, whose folder has its files. */
  made_in: number;
  /** Budget that the experiment had left when the run began. */
  left: SpendingLeft;
}

/** Part of a run's result that the workflow gets; the whole record is in the store. */
export interface ScaffoldRun extends StepCost {
  score: number;
  /** True if the program ended by itself and returned an output. */
  ok: boolean;
}

/** Request for one scaffold: the reply is parsed, checked and written to its place. */
export interface ProposeScaffoldInput {
  run: string;
  iteration: number;
  id: string;
  parent: string | null;
  /** The iteration that made the parent, whose folder has its files. */
  parent_made_in: number | null;
  /** The parent's run on a training example, and further ones for feedback. */
  runs: ScaffoldJob[];
  /** Training examples that the prompt shows where there is no parent. */
  examples: string[];
  /** From 0; the prompt of a later try has the faults of those before it. */
  attempt: number;
  /** Faults of the earlier tries. */
  faults: string[];
  /** Fingerprints of existing scaffolds, by id. */
  known: Record<string, string>;
  /** Outcome of the earlier requests, where each request is granted on its own. */
  before?: AskedBefore;
}

export type ProposedScaffold = StepCost &
  (
    | { ok: true; fingerprint: string; traits: CodeTraits; warnings: string[] }
    /** Failed try: no program, one that does not compile, or a duplicate. */
    | { ok: false; fault: string; duplicate_of?: string }
  );

/** Input of one turn of a scaffolder that works as an agent. */
export interface ScaffolderTurnInput extends ProposeScaffoldInput {
  /** From 0, within the try. */
  turn: number;
  max_turns: number;
  /** Training examples that drafts are run on. */
  draft_examples: string[];
  /** Answers to the earlier turns: a text, or null for the report on a draft's runs. */
  told: (string | null)[];
}

export type ScaffolderTurn = StepCost &
  (
    | { kind: 'submitted'; fingerprint: string; traits: CodeTraits; warnings: string[] }
    /** The draft is to be run. */
    | { kind: 'draft' }
    /** The action is faulty; the prompt of the next turn says why. */
    | { kind: 'refused'; fault: string }
    /** No usable scaffold after the last turn, or a refused prompt. */
    | { kind: 'failed'; fault: string; duplicate_of?: string }
  );

/** Run of a turn's draft on a training example. */
export interface RunDraftInput {
  run: string;
  scaffold: string;
  iteration: number;
  parent: string | null;
  attempt: number;
  turn: number;
  max_turns: number;
  example: string;
  left: SpendingLeft;
}

export interface FinishIterationInput {
  plan: EvolvePlan;
  iteration: number;
  /** True if nothing was evolved: the last iteration's scaffolds were validated, and the best one was tested. */
  closing: boolean;
  state: EvolveState;
  /** Scaffolds that were evolved in this iteration; they are copied to `old/`. */
  parents: string[];
  /** All runs of the iteration, for the logs. */
  validated: { scaffold: string; examples: string[] }[];
  trained: { scaffold: string; examples: string[] }[];
  /** Progress lines for the log, and their times in milliseconds since 1970. */
  lines: string[];
  line_times?: number[];
}

export interface FinalizeEvolveInput {
  plan: EvolvePlan;
  state: EvolveState;
  status: RunStatus;
  message: string | null;
  /** Test score of the best scaffold; null where it was not tested. */
  tested: { scaffold: string; score: number } | null;
  /** Progress lines of an unfinished iteration, for the log, and their times in milliseconds since 1970. */
  lines: string[];
  line_times?: number[];
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** Seconds that this workflow has worked, where its time is limited; else the time from start to end counts. */
  worked_seconds?: number;
}

/** State that an execution of `evolve` passes to the one that continues it, between two iterations. */
export interface EvolveCarried {
  /** With the state after the last iteration. */
  plan: EvolvePlan;
  /** Start of the first execution, in milliseconds since 1970. */
  started_at: number;
  /** Seconds worked so far, where the time is limited. */
  worked_seconds?: number;
  /** Requests of people, and a limit that was reached. */
  asked: ReceivedRequests;
  /** Progress lines so far. */
  said: Pick<EvolveProgress, 'lines' | 'line_count'>;
}

/** Report to the parent workflow: changes since the last one. */
export interface IterationReport {
  from: ChildExecution;
  lines: string[];
  /** Scaffolds that were made or scored in this iteration, in their current state. */
  nodes: ScaffoldNode[];
  totals: EvolveTotals;
}

export interface IterationInput {
  plan: EvolvePlan;
  state: EvolveState;
  control: ReceivedRequests;
  /** True after the last iteration: its scaffolds are validated, the best one is tested, nothing is evolved. */
  closing: boolean;
  /** State of the execution before, when this one continues it. */
  carried?: {
    memo: IterationMemo;
    totals: EvolveTotals;
    said: string[];
    /** Times of the lines, in milliseconds since 1970. */
    said_at?: number[];
    /** Spending in this iteration. */
    spent: ScaffoldSpending;
  };
}

export interface IterationResult {
  /** Lines that are in no report yet. */
  lines: string[];
  /** null where the iteration could not be finished. */
  state: EvolveState | null;
  /** Scaffolds that an unfinished iteration has made or scored; the next execution repeats it from the store. */
  nodes?: ScaffoldNode[];
  totals: EvolveTotals;
  /** Message on the limit that was reached. */
  exhausted: string | null;
  /** Reason why no further step can succeed. */
  fatal: string | null;
  /** Test score of the best scaffold; only from a closing iteration with test data. */
  tested: { scaffold: string; score: number } | null;
}

/** Activities of an evolution. Every one may be repeated. */
export interface EvolveActivities {
  prepareEvolve(input: EvolveInput): Promise<EvolvePlan>;
  proposeScaffold(input: ProposeScaffoldInput): Promise<ProposedScaffold>;
  scaffolderTurn(input: ScaffolderTurnInput): Promise<ScaffolderTurn>;
  runDraft(input: RunDraftInput): Promise<ScaffoldRun>;
  executeScaffold(input: ExecuteScaffoldInput): Promise<ScaffoldRun>;
  finishIteration(input: FinishIterationInput): Promise<void>;
  finalizeEvolve(input: FinalizeEvolveInput): Promise<EvolveMetrics>;
}
