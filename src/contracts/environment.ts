import type { Json, JsonObject } from './json.js';
import type { ChatMessage, ImageReference } from './language-model.js';
import type { EpisodeError } from './results.js';

/** Row of a dataset, ready for an environment. */
export interface Task {
  /** Position in the run's order, from 0. */
  index: number;
  /** ID of the sample: the dataset's `id_field`, or the row number. Unique within a run. */
  id: string;
  /** The question; of a conversation, its turns as one text. */
  question: string;
  /**
   * Messages that ask it, if it is not asked alone: those of the system, earlier turns, and last the user's own. For an
   * environment, the question is that last message.
   */
  messages?: ChatMessage[];
  /** Images that come with the question. */
  images?: ImageReference[];
  /** Examples that a prompt shows before the question, in their order. */
  examples?: Example[];
  /** Gold answer as text, the first one of several; `null` if the environment needs none. */
  target: string | null;
  /** All right answers, if there are several. */
  targets?: string[];
  /** Match of several right answers: one is enough (`any`, the default), or all are required. */
  target_match?: 'any' | 'all';
  /** Multiple choice: texts of the choices in the order of their letters. */
  choices?: string[];
  /**
   * Multiple choice: positions of the right ones, from 0. A choice is identified by its letter, even if texts are
   * equal.
   */
  right_choices?: number[];
  /** The row's `meta_fields`, and data from a generator for its environment. */
  metadata: JsonObject;
}

/** Question of another row, and the answer that a prompt shows to it. */
export interface Example {
  task: Task;
  answer: string;
}

/** Environment's judgement of an action. The same shape for every task. */
export interface Feedback {
  correct: boolean;
  target: string;
  message: string;
  /** Task-specific details, for example `{extracted: '42'}`. */
  extra?: { [key: string]: Json };
}

/** Result of `reset`: the state for the first `step`, and the first observation. */
export interface ResetOutcome {
  state: Json;
  obs: string;
}

/** Beginning of an episode, as an agent needs it. */
export interface BegunEpisode extends ResetOutcome {
  /** Messages that ask the question, the last one with its choices and instructions; absent: `obs` is all. */
  messages?: ChatMessage[];
}

/** Result of `step`. `obs` is `null` when the episode is over. */
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
 * Part of a step's outcome that a lane needs, or the error of the step. After the last step of an episode there is
 * neither a state nor an observation; an empty `info` is left out.
 */
export type StepAnswer =
  | (Omit<StepOutcome, 'info' | 'state' | 'obs'> & Partial<Pick<StepOutcome, 'info' | 'state' | 'obs'>>)
  | { error: EpisodeError };

/** Task and state of a built-in environment before a step. */
export interface AwaitedStep {
  index: number;
  /** Absent: null, which is enough for a single question. */
  state?: Json;
}
