import type { Feedback, ResetOutcome, StepOutcome, Task } from '../contracts/environment.js';
import type { Json, JsonObject } from '../contracts/json.js';
import type { SymbolicComparer } from '../grading/grade.js';

/** What the worker hands to an environment. */
export interface EnvironmentServices {
  /** Time-boxed and off the main thread in a worker. */
  compareSymbolically: SymbolicComparer;
}

/** Options of the config that concern an environment. */
export interface EnvironmentOptions {
  /** A text with `{question}` in it. */
  instruction_template?: string;
  /** `dataset.env_options`, as the user wrote them. */
  options: JsonObject;
}

/**
 * A text environment over serialisable state. One instance serves one task; it keeps nothing between calls, so
 * `step` may be repeated from the same state on another machine.
 * Extend it and name the class in `dataset.env_class` (and its file in `dataset.env_file`).
 */
export abstract class Environment {
  constructor(
    protected readonly task: Task,
    protected readonly settings: EnvironmentOptions,
    protected readonly services: EnvironmentServices,
  ) {}

  /** Begins an episode: the first state and observation. */
  abstract reset(): Promise<ResetOutcome> | ResetOutcome;

  /** Advances by one action. Any text is a valid action; a bad one is feedback, never an exception. */
  abstract step(state: Json, action: string): Promise<StepOutcome> | StepOutcome;

  /** Checks `env_options` and the task before anything runs; throws an Error whose message names the field. */
  validate(): void {}

  /** The question, wrapped in the config's `instruction_template` where there is one. */
  protected instruct(question: string, fallback = '{question}'): string {
    const template = this.settings.instruction_template ?? fallback;
    return template.split('{question}').join(question);
  }
}

/** How an environment is made; a user's class has the same constructor. */
export type EnvironmentClass = new (
  task: Task,
  settings: EnvironmentOptions,
  services: EnvironmentServices,
) => Environment;

/** The answer of a step that ends the episode. */
export function finalStep(feedback: Feedback, info: JsonObject = {}): StepOutcome {
  return { state: null, obs: null, feedback, done: true, info };
}
