import type { Limits, ReceivedRequests } from '../../contracts/experiment.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { ExperimentProgress } from '../../contracts/progress.js';
import type { ExperimentMetrics, RunStatus } from '../../contracts/results.js';
import type { StepCost } from '../../contracts/step-cost.js';

/** Input of the workflow `sweep`: `config`, `grid`, and the other fields of `sweepConfigSchema`. */
export type SweepInput = JsonObject;

/** Experiment of a sweep. */
export interface SweepCell {
  /** Name of the experiment, of its folder and of its workflow. */
  name: string;
  /** Value of each field of the grid. */
  settings: Record<string, Json>;
  /** From 0. */
  repeat: number;
}

/** Cost of an experiment that is a cell, in all its executions so far. */
export type CellCost = Omit<StepCost, 'counted'>;

/** Cell as the sweep's workflow knows it. */
export interface PlannedCell extends SweepCell {
  /** ID of its workflow. */
  workflow_id: string;
  /** Cost of earlier executions; null if there are none, or they have written no metrics. */
  cost: CellCost | null;
  /** True if it is done, and nothing of it is begun again. */
  done: boolean;
}

/** Plan that `prepareSweep` returns. */
export interface SweepPlan {
  /** Reference for activities; see `runReference`. */
  run: string;
  artifacts: string;
  experiment: string;
  name: string;
  /** Type of the cells' workflows. */
  command: string;
  /** First model of the first cell, as `provider/model`. */
  model: string;
  simulated: boolean;
  cells: PlannedCell[];
  concurrency: number;
  limits: Limits;
  search_attributes: string[];
  spent_wall_seconds: number;
}

/** Names a cell of a sweep. */
interface NamedCell {
  run: string;
  /** Index in the plan. */
  cell: number;
}

export interface BeginCellInput extends NamedCell {
  /** Share of the sweep's limits, earlier executions of the cell included. */
  limits: Limits;
}

/** How an execution of a cell ended. */
export interface EndedCell {
  status: RunStatus;
  message: string | null;
  /** URI of its folder; null if it had none. */
  artifacts: string | null;
}

export interface EndCellInput extends NamedCell {
  ended: EndedCell;
}

/** State of a cell. `waiting`: not begun, or begun again once there is something left of a limit. */
export interface CellState {
  status: 'waiting' | 'running' | RunStatus;
  cost: CellCost;
  /** Share of its units that have ended, from 0 to 1. */
  part: number;
}

/** State that an execution of `sweep` passes to the one that continues it. */
export interface SweepCarried {
  plan: SweepPlan;
  started_at: number;
  worked_seconds?: number;
  asked: ReceivedRequests;
  cells: CellState[];
}

export interface FinalizeSweepInput {
  plan: SweepPlan;
  status: RunStatus;
  message: string | null;
  /** Start and end, in milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  worked_seconds?: number;
}

/** Figure of an experiment, such as its accuracy. */
export interface CellFigure {
  id: string;
  label: string;
  value: number | null;
  stderr: number | null;
  /** 95 % interval. */
  interval: readonly [number, number] | null;
  /** True if it is a share of 1. */
  is_share: boolean;
}

/** Row of a sweep's `results.jsonl`. */
export interface CellRow extends SweepCell {
  status: 'waiting' | RunStatus;
  message: string | null;
  /** URI of its folder; null if it was not begun. */
  artifacts: string | null;
  /** Its own figures, as its metrics have them, the most telling one first. */
  figures: CellFigure[];
  /** Judged samples of a run. */
  judged?: number;
  /** Those that a scorer gave no score, by its name; absent if there are none. */
  unscored?: Record<string, number>;
  errors: number;
  lm_calls: number;
  /** Calls that were answered by what another cell has paid for; absent if there are none. */
  lm_calls_cached?: number;
  usage: StepCost['usage'];
  /** US dollars; null if a price is unknown. */
  cost_usd: number | null;
  wall_seconds: number;
  seconds_per_sample: number | null;
}

/** Score of a setting over its repeats. */
export interface SettingScore {
  score: string;
  is_share: boolean;
  samples: number;
  mean: number;
  /** Clustered by sample, so that repeats of a sample do not count as independent; null with fewer than two samples. */
  stderr: number | null;
}

/** Difference between a setting and the first one, paired by sample. */
export interface SettingDifference {
  score: string;
  is_share: boolean;
  pairs: number;
  baseline: number | null;
  other: number | null;
  difference: number | null;
  stderr: number | null;
  interval: readonly [number, number] | null;
  /** Two-sided; null without a pair. */
  p_value: number | null;
  /** Corrected by Holm's method for the number of settings that are compared; absent with one. */
  p_value_holm?: number;
}

/** Setting of a sweep: all cells that differ in the repeat alone. */
export interface SettingResult {
  settings: SweepCell['settings'];
  cells: string[];
  /** Empty if the kind has no rows of samples. */
  scores: SettingScore[];
  /** Judged samples of all repeats that a scorer gave no score, by its name, and of how many; absent if none. */
  unscored?: Record<string, { samples: number; of: number }>;
  /** Against the first setting; absent for that one. */
  differences?: SettingDifference[];
  cost_usd: number | null;
  seconds_per_sample: number | null;
}

/** Content of a sweep's `metrics.json`. `errors` counts cells that failed. */
export interface SweepMetrics extends ExperimentMetrics<'sweep'> {
  command: string;
  cells_planned: number;
  repeats: number;
  cells: CellRow[];
  settings: SettingResult[];
  /** Field of the samples' metadata that the errors of settings and differences are clustered by; absent: the samples. */
  clustered_by?: string;
  model: string;
}

/** Result of the `progress` query of a sweep; its units are cells. */
export interface SweepProgress extends ExperimentProgress<'sweep', SweepMetrics> {
  /** Cells with what is known of them. */
  cells: { name: string; status: string; part: number; lm_calls: number; cost_usd: number | null }[];
}

export interface SweepResult {
  artifacts: string;
  metrics: SweepMetrics;
}

/** Start of a cell. */
export interface BegunCell {
  workflow_id: string;
  input: JsonObject;
}

/** Activities of a sweep. Each may be repeated. */
export interface SweepActivities {
  prepareSweep(input: SweepInput): Promise<SweepPlan>;
  beginCell(input: BeginCellInput): Promise<BegunCell>;
  endCell(input: EndCellInput): Promise<void>;
  finalizeSweep(input: FinalizeSweepInput): Promise<SweepMetrics>;
}
