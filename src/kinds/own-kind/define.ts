import { z } from 'zod';
import type { Feedback, Task } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import type {
  ChatMessage,
  GenerateParameters,
  GenerateReply,
  ToolDefinition,
} from '../../contracts/language-model.js';

export { child, type Logger, logger } from '../../contracts/logger.js';
export type { ChatMessage, Feedback, GenerateParameters, GenerateReply, Json, Task, ToolDefinition };
export { z };

/** Request to a model. */
export interface Question {
  messages: ChatMessage[];
  /** Parameters of this call, in place of the config's. */
  parameters?: GenerateParameters;
  tools?: ToolDefinition[];
}

/** A model's reply. One that a token limit cut off has the finish reason `length`. */
export type Reply = Pick<GenerateReply, 'text' | 'reasoning' | 'tool_calls' | 'finish_reason' | 'usage'>;

/** Argument of `work` for one sample. */
export interface SampleWork<Settings, Role extends string> {
  sample: Task;
  settings: Settings;
  /**
   * Calls the model of a role; a text is sent as the user's only message. Calls that are begun before one of them is
   * awaited run concurrently.
   * @throws Error for an invalid question only: a call that fails for good is the sample's error.
   */
  ask(role: Role, question: string | Question): Promise<Reply>;
  /**
   * Grades an answer as `reprise run` does, by the `task_type` or `env_class` of the dataset.
   * @throws Error if it cannot be graded
   */
  grade(answer: string): Promise<Feedback>;
  /** Returns the next number in [0, 1) of a sequence that the config's seed and the sample's id determine. */
  random(): number;
}

/** Row of a sample: the data to store of it, as JSON. */
export interface Row {
  /** Scores, each averaged over the samples, with a 95 % interval; true and false give a share. */
  scores?: Record<string, number | boolean>;
  [field: string]: Json | undefined;
}

/** A kind of experiment on the samples of a dataset. */
export interface ExperimentKind<Settings = unknown, Role extends string = string> {
  /** Name that is shown to people. */
  name: string;
  /** Roles of its models, such as `['writer', 'judge']`; a config names a model for each. */
  models: readonly Role[];
  /** Schema of the config's `settings`; absent: there are none. */
  settings?: z.ZodType<Settings>;
  /**
   * Works on one sample. It is run again from its beginning whenever replies have arrived, with all replies so far: it
   * must make the same calls in the same order each time, take chance from `random`, and use no clock.
   * @throws Error, which is the sample's error.
   */
  work(work: SampleWork<Settings, Role>): Promise<Row>;
  /** Computes further figures from all rows: finite numbers by name. */
  figures?(rows: readonly Row[], settings: Settings): Record<string, number>;
}

/** Defines a kind of experiment, as the default export of the file that a config names in `kind`. */
export function defineExperimentKind<Settings, const Role extends string>(
  kind: ExperimentKind<Settings, Role>,
): ExperimentKind<Settings, Role> {
  return kind;
}
