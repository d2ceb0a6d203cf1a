import type { Asked, ChildExecution, Limits, SpendingLeft } from '../../contracts/experiment.js';
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
 * The input of the workflow `evolve`: a config's path on the worker, or the config itself. `fork` begins with what
 * another experiment had after an iteration.
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

/** What `prepareEvolve` found out; small, because it stands in a history. */
export interface EvolvePlan {
  /** What activities are handed: the experiment's folder and this execution; see `runReference`. */
  run: string;
  /** URI of the experiment's folder. */
  artifacts: string;
  /** The folder's name, `name_20260131_235959`. */
  experiment: string;
  execution: string;
  name: string;
  /** `provider/model` of the scaffolder; of the executor, null where scaffolds have none. */
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
  /** Where the experiment stands: fresh, continued, extended or forked. */
  state: EvolveState;
  spent_wall_seconds: number;
}

/** Everything that an iteration hands to the next. Kept in the store after each, so that an experiment can be extended. */
export interface EvolveState {
  /** Iterations that are finished; the next one's number. */
  next_iteration: number;
  ids: IdCounters;
  nodes: ScaffoldNode[];
  selection: SelectionState | null;
  /** Scaffolds that the last iteration made and the next one validates. */
  newcomers: string[];
  totals: EvolveTotals;
}

/** A scaffold, as the experiment knows it. */
export interface ScaffoldNode extends LineageNode {
  /** Hash of the normalised code; absent where there is none. */
  fingerprint?: string;
  traits?: CodeTraits;
}

/** Cumulative. Calls of scaffolders and of scaffolds together. */
export interface EvolveTotals extends StepCost {
  executions: number;
  executions_failed: number;
}

/** One run of a scaffold on an example. */
export interface ScaffoldJob {
  scaffold: string;
  /** The iteration that it is run in. */
  iteration: number;
  type: RunType;
  example: string;
  /** Where it was a draft that was run: the try and the turn that wrote it, as `0.2`. */
  draft?: string;
}

export interface ExecuteScaffoldInput extends ScaffoldJob {
  run: string;
  /** The iteration that made the scaffold, where its files are. */
  made_in: number;
  /** Of the experiment's limits, when the run begins. */
  left: SpendingLeft;
}

/** What the workflow learns of a run; the whole record is in the store. */
export interface ScaffoldRun extends StepCost {
  score: number;
  /** Whether the program ended by itself and gave an output. */
  ok: boolean;
}

/** Asks for one scaffold: the reply is parsed, checked and written to its place. */
export interface ProposeScaffoldInput {
  run: string;
  iteration: number;
  id: string;
  parent: string | null;
  /** The iteration that made the parent, where its files are. */
  parent_made_in: number | null;
  /** The parent's run on a training example, and further ones for feedback. */
  runs: ScaffoldJob[];
  /** Training examples that the prompt shows where there is no parent. */
  examples: string[];
  /** From 0; a later try is told what was wrong with those before it. */
  attempt: number;
  /** What was wrong with the tries before this one. */
  faults: string[];
  /** Fingerprints of scaffolds that there are already, by id. */
  known: Record<string, string>;
  /** Where each request needs leave of its own: what those before this one came to. */
  before?: AskedBefore;
}

export type ProposedScaffold = StepCost &
  (
    | { ok: true; fingerprint: string; traits: CodeTraits; warnings: string[] }
    /** A failed try: no program, one that does not compile, or one that there is already. */
    | { ok: false; fault: string; duplicate_of?: string }
  );

/** One turn of a scaffolder that works as an agent. */
export interface ScaffolderTurnInput extends ProposeScaffoldInput {
  /** From 0, within the try. */
  turn: number;
  max_turns: number;
  /** The training examples that drafts are run on. */
  draft_examples: string[];
  /** What came of the turns before this one: what the scaffolder was told, or null where its draft was run. */
  told: (string | null)[];
}

export type ScaffolderTurn = StepCost &
  (
    | { kind: 'submitted'; fingerprint: string; traits: CodeTraits; warnings: string[] }
    /** There is a draft to be run. */
    | { kind: 'draft' }
    /** Something is wrong with what it asked for; the next turn tells it. */
    | { kind: 'refused'; fault: string }
    /** The last turn submitted nothing that can be used. */
    | { kind: 'failed'; fault: string; duplicate_of?: string }
  );

/** Runs the draft of a turn on a training example. */
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
  /** Nothing was evolved: the scaffolds of the last iteration were validated, and the best one tested. */
  closing: boolean;
  state: EvolveState;
  /** Scaffolds that were evolved in this iteration; they are copied to `old/`. */
  parents: string[];
  /** Every run that was made, for the logs. */
  validated: { scaffold: string; examples: string[] }[];
  trained: { scaffold: string; examples: string[] }[];
  /** What people were told of it, for the log, and when: milliseconds since 1970. */
  lines: string[];
  line_times?: number[];
}

export interface FinalizeEvolveInput {
  plan: EvolvePlan;
  state: EvolveState;
  status: RunStatus;
  message: string | null;
  /** Ids that were run on the test data: the best one, where there is test data. */
  tested: { scaffold: string; score: number } | null;
  /** What people were told of an iteration that was not finished, for the log, and when: milliseconds since 1970. */
  lines: string[];
  line_times?: number[];
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** What this workflow has worked, where its time has a limit; else the time from its start to its end is taken for that. */
  worked_seconds?: number;
}

/** What an execution of `evolve` hands to the one that continues it, between two iterations. */
export interface EvolveCarried {
  /** With the state that the last iteration ended with. */
  plan: EvolvePlan;
  /** Milliseconds since 1970; of the first execution. */
  started_at: number;
  /** What it has worked so far, where its time has a limit. */
  worked_seconds?: number;
  /** What was asked of the experiment. */
  asked: Asked;
  /** What it has told people. */
  said: Pick<EvolveProgress, 'lines' | 'line_count'>;
}

/** iteration → evolve: what happened since the last report. */
export interface IterationReport {
  from: ChildExecution;
  lines: string[];
  /** Scaffolds that were made or scored in this iteration, as they are now. */
  nodes: ScaffoldNode[];
  totals: EvolveTotals;
}

export interface IterationInput {
  plan: EvolvePlan;
  state: EvolveState;
  control: Asked;
  /** After the last iteration: its scaffolds are validated and the best one is tested; nothing is evolved. */
  closing: boolean;
  /** From the execution before, when this one continues it. */
  carried?: {
    memo: IterationMemo;
    totals: EvolveTotals;
    said: string[];
    /** When, in milliseconds since 1970. */
    said_at?: number[];
    /** Of this iteration. */
    spent: ScaffoldSpending;
  };
}

export interface IterationResult {
  /** Lines that no report has told yet. */
  lines: string[];
  /** null where the iteration could not be finished. */
  state: EvolveState | null;
  /** What an unfinished one has made or scored; the next execution makes it again, from what is stored. */
  nodes?: ScaffoldNode[];
  totals: EvolveTotals;
  /** A limit that was reached; why. */
  exhausted: string | null;
  /** Why no further step can succeed. */
  fatal: string | null;
  /** The best scaffold on the test data; only from a closing iteration with test data. */
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
