import type { Environment, EnvironmentClass } from './environment.js';
import { EquationBalancerEnv } from './equation-balancer.js';
import { Game24Env } from './game24.js';
import { MathQAEnv } from './math-qa.js';
import { MCQEnv } from './mcq.js';
import { NumberGuessingEnv } from './number-guessing.js';
import { QAEnv } from './qa.js';

const BUILT_IN: Record<string, EnvironmentClass> = {
  QAEnv,
  MathQAEnv,
  MCQEnv,
  EquationBalancerEnv,
  Game24Env,
  NumberGuessingEnv,
};

const BY_TASK_TYPE: Record<string, string> = { exact: 'QAEnv', numeric: 'MathQAEnv', mcq: 'MCQEnv' };

/** Names that `dataset.env_class` may have without `env_file`. */
export const BUILT_IN_ENVIRONMENTS = Object.keys(BUILT_IN);

/** Returns the name of a dataset's class: `env_class` where set, else by `task_type`. */
export function environmentName(dataset: { env_class?: string; task_type: string }): string {
  return dataset.env_class ?? BY_TASK_TYPE[dataset.task_type] ?? '';
}

export function builtInEnvironment(name: string): EnvironmentClass | undefined {
  return Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
}

/** True if a value that a user's file exports can serve as an environment class. */
export function isEnvironmentClass(value: unknown): value is EnvironmentClass {
  if (typeof value !== 'function') return false;
  const prototype = value.prototype as Partial<Environment> | undefined;
  return typeof prototype?.reset === 'function' && typeof prototype.step === 'function';
}
