import { z } from 'zod';
import type { Feedback, Task } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import type {
  ChatMessage,
  GenerateParameters,
  GenerateReply,
  ToolDefinition,
} from '../../contracts/language-model.js';

export type { ChatMessage, Feedback, GenerateParameters, GenerateReply, Json, Task, ToolDefinition };
export { z };

/** What a model is asked. */
export interface Question {
  messages: ChatMessage[];
  /** Take the place of the config's for this call. */
  parameters?: GenerateParameters;
  tools?: ToolDefinition[];
}

/** A model's reply. One that a token limit cut off has the finish reason `length`. */
export type Reply = Pick<GenerateReply, 'text' | 'reasoning' | 'tool_calls' | 'finish_reason' | 'usage'>;

/** What `work` is given of one sample. */
export interface SampleWork<Settings, Role extends string> {
  sample: Task;
  settings: Settings;
  /**
   * Asks the model of a role; a text is asked as the user's only message. Calls that are begun before one of them is
   * awaited are made side by side.
   * @throws never: a call that fails for good is the sample's error.
   */
  ask(role: Role, question: string | Question): Promise<Reply>;
  /**
   * Grades an answer as `reprise run` does, by the `task_type` or `env_class` of the dataset.
   * @throws Error where it cannot be graded
   */
  grade(answer: string): Promise<Feedback>;
  /** Answers with the next number in [0, 1) of a sequence that the config's seed and the sample's id fix. */
  random(): number;
}

/** A sample's row: what is to be kept of it, as JSON. */
export interface Row {
  /** Each is averaged over the samples, with its 95 % interval; true and false make a share. */
  scores?: Record<string, number | boolean>;
  [field: string]: Json | undefined;
}

/** A kind of experiment on the samples of a dataset. */
export interface ExperimentKind<Settings = unknown, Role extends string = string> {
  /** Names it to people. */
  name: string;
  /** What its models do, such as `['writer', 'judge']`; a config names one for each. */
  models: readonly Role[];
  /** The config's `settings`; none where it is absent. */
  settings?: z.ZodType<Settings>;
  /**
   * Works on one sample. It is run again from its beginning whenever a reply has come, with all replies so far: it must ask
   * the same in the same order each time, so it takes chance from `random`, and knows no clock.
   * @throws Error, which is the sample's error.
   */
  work(work: SampleWork<Settings, Role>): Promise<Row>;
  /** Answers with further figures of all rows, finite numbers by their names. */
  figures?(rows: readonly Row[], settings: Settings): Record<string, number>;
}

/** Defines a kind of experiment, as the default export of the file that a config names in `kind`. */
export function defineExperimentKind<Settings, const Role extends string>(
  kind: ExperimentKind<Settings, Role>,
): ExperimentKind<Settings, Role> {
  return kind;
}
