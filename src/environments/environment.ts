import type { Feedback, ResetOutcome, StepOutcome, Task } from '../contracts/environment.js';
import type { Json, JsonObject } from '../contracts/json.js';
import { type Logger, logger } from '../contracts/logger.js';
import { fillTemplate } from '../contracts/template.js';
import type { SymbolicComparer } from '../grading/grade.js';

/** Services that the worker provides to an environment. */
export interface EnvironmentServices {
  /** Comparer with a time limit, in a thread. */
  compareSymbolically: SymbolicComparer;
  /** Default: `run.log` of the experiment; outside of one, lines are dropped. */
  logger?: Logger;
}

/** Options of the config that concern an environment. */
export interface EnvironmentOptions {
  /** Template with the placeholder `{question}`. */
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

  /** Log of the environment: in an experiment, lines of `run.log` with the sample. */
  protected get logger(): Logger {
    return this.services.logger ?? logger;
  }

  /** Begins an episode; returns the first state and observation. */
  abstract reset(): Promise<ResetOutcome> | ResetOutcome;

  /** Advances by one action. Any text is a valid action; a bad one is feedback, never an exception. */
  abstract step(state: Json, action: string): Promise<StepOutcome> | StepOutcome;

  /** Checks `env_options` and the task before the run starts; throws an Error whose message names the field. */
  validate(): void {}

  /** Wraps the question in the config's `instruction_template`, where there is one. Both are templates. */
  protected instruct(question: string, fallback = '{question}'): string {
    return fillTemplate(this.settings.instruction_template ?? fallback, { question });
  }
}

/** Constructor of environments; a user's class has the same one. */
export type EnvironmentClass = new (
  task: Task,
  settings: EnvironmentOptions,
  services: EnvironmentServices,
) => Environment;

/** Returns the outcome of a step that ends the episode. */
export function finalStep(feedback: Feedback, info: JsonObject = {}): StepOutcome {
  return { state: null, obs: null, feedback, done: true, info };
}
