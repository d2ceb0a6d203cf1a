import type { Limits, RunPhase } from './experiment.js';
import type { Usage } from './language-model.js';
import type { Beside, Repeats } from './step-cost.js';

/** Units of work of an experiment. */
interface Units {
  /** Name of one unit, such as `sample`. */
  noun: string;
  /** 0 while the experiment is being prepared. */
  planned: number;
  /** Units that have ended, including errors. */
  ended: number;
  /** null if they are not counted. */
  running: number | null;
}

/** Rate at which units have ended lately, in the last minute or the last few, and how long the rest takes at it. */
export interface PaceOfUnits {
  units_per_second: number;
  seconds_left: number;
}

/** Amounts spent by an experiment so far, including its earlier executions. */
export interface Spent extends Beside, Partial<Repeats> {
  lm_calls: number;
  usage: Usage;
  /** US dollars; null if a price is unknown. */
  cost_usd: number | null;
}

/** Result of the `progress` query of every experiment; each kind adds fields of its own. */
export interface ExperimentProgress<Kind extends string = string, Metrics extends object = object> {
  kind: Kind;
  /** Name of its folder; of its workflow while it is being prepared. */
  experiment: string;
  phase: RunPhase;
  /** Reason why it waits or does not continue; null if only people prevent it. */
  message: string | null;
  /** URI of its folder; empty while it is being prepared. */
  artifacts: string;
  /** Models by their role, as `provider/model`; null for a role without a model. */
  models: Readonly<Record<string, string | null>>;
  /** One of the models is the simulated one: no benchmark figure. */
  simulated: boolean;
  units: Units;
  /** null before it is known, while nothing is begun, and at the end. */
  pace: PaceOfUnits | null;
  /** Units that could not be judged, which are no failures, and their counts by type. */
  errors: number;
  errors_by_type: Readonly<Record<string, number>>;
  spending: Spent;
  /** null while it is being prepared. */
  limits: Limits | null;
  /** Maximum units in flight at once. */
  concurrency: number;
  /** Content of `metrics.json`; null until it has ended. */
  metrics: Metrics | null;
}

/** Sentences about the events of an experiment, if it has any. */
export interface ProgressLines {
  /** Newest sentences, the newest last. */
  lines: string[];
  /** Number of all sentences so far. */
  line_count: number;
}
