import type { Limits, RunPhase } from './experiment.js';
import type { Usage } from './language-model.js';
import type { Beside, Repeats } from './step-cost.js';

/** The pieces of work that an experiment consists of. */
interface Units {
  /** Names one of them: `sample`, for one. */
  noun: string;
  /** 0 while the experiment is being prepared. */
  planned: number;
  /** Those that came to an end, errors among them. */
  ended: number;
  /** null where nobody counts them. */
  running: number | null;
}

/** What an experiment has spent so far, earlier executions of it included. */
export interface Spent extends Beside, Partial<Repeats> {
  lm_calls: number;
  usage: Usage;
  /** US dollars; null once a price is not known. */
  cost_usd: number | null;
}

/** What every experiment answers the `progress` query with, whatever its kind; a kind adds what is its own. */
export interface ExperimentProgress<Kind extends string = string, Metrics extends object = object> {
  kind: Kind;
  /** Name of its folder; of its workflow while it is being prepared. */
  experiment: string;
  phase: RunPhase;
  /** What it waits for, or why it does not continue; null where nothing but people keep it from that. */
  message: string | null;
  /** URI of its folder; empty while it is being prepared. */
  artifacts: string;
  /** The models in it by what they do, as `provider/model`; null where nobody does that. */
  models: Readonly<Record<string, string | null>>;
  /** A model in it is the simulated one: no benchmark figure. */
  simulated: boolean;
  units: Units;
  /** Units that could not be judged, which are no failures, and how many there are by type. */
  errors: number;
  errors_by_type: Readonly<Record<string, number>>;
  spending: Spent;
  /** null while it is being prepared. */
  limits: Limits | null;
  /** Units at once. */
  concurrency: number;
  /** The content of `metrics.json`; null until it has ended. */
  metrics: Metrics | null;
}

/** Sentences about what has happened, where an experiment has some to tell. */
export interface ToldProgress {
  /** The newest ones, the newest last. */
  lines: string[];
  /** How many there have been in all. */
  line_count: number;
}
