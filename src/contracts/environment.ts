import type { Json, JsonObject } from './json.js';
import type { EpisodeError } from './results.js';

/** One row of a dataset, ready for an environment. */
export interface Task {
  /** Position in the run's order, from 0. */
  index: number;
  /** The sample's id: the dataset's `id_field`, or the row number. Unique within a run. */
  id: string;
  question: string;
  /** The gold answer as text, of several the first; `null` where the environment needs none. */
  target: string | null;
  /** Every right answer, where there are several. */
  targets?: string[];
  /** Whether one of several right answers is enough (`any`, which is meant where this is absent), or all are wanted. */
  target_match?: 'any' | 'all';
  /** Multiple choice: the choice texts in the order they are lettered. */
  choices?: string[];
  /** Multiple choice: positions of the right ones, from 0. A choice is its letter, whatever the others look like. */
  right_choices?: number[];
  /** The row's `meta_fields`, and what a generator left for its environment. */
  metadata: JsonObject;
}

/** What an environment says of an action. The same shape for every task. */
export interface Feedback {
  correct: boolean;
  target: string;
  message: string;
  /** Task-specific details, for example `{extracted: '42'}`. */
  extra?: { [key: string]: Json };
}

/** The answer of `reset`: the state to hand to the first `step`, and the first observation. */
export interface ResetOutcome {
  state: Json;
  obs: string;
}

/** The answer of `step`. `obs` is `null` when the episode is over. */
export interface StepOutcome {
  state: Json;
  obs: string | null;
  feedback: Feedback;
  done: boolean;
  info: JsonObject;
  /** Defaults to 1 for a correct step and 0 otherwise. */
  reward?: number;
}

/**
 * What a lane needs of a step's outcome, or why the step could not be taken. After the last step of an episode there is
 * neither a state nor an observation; `info` is left out where it is empty.
 */
export type StepAnswer =
  | (Omit<StepOutcome, 'info' | 'state' | 'obs'> & Partial<Pick<StepOutcome, 'info' | 'state' | 'obs'>>)
  | { error: EpisodeError };

/** A built-in environment's task and state before a step. */
export interface AwaitedStep {
  index: number;
  /** Absent: null, which is all that a single question needs. */
  state?: Json;
}
