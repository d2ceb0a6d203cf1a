import {
  type ConfigSource,
  type LoadOptions,
  loadConfig as load,
  resolveConfig as resolve,
} from '../config/load.js';
import { runConfigs } from '../kinds/run/config.js';
import type { RunConfig } from '../kinds/run/schema.js';

export { child, type Logger, type LogLevel, logger } from '../contracts/logger.js';
export {
  EnvDataset,
  gradingServices,
  QAEnvDataset,
  type QAEnvDatasetConfig,
  type QAEnvDatasetOptions,
} from '../kinds/run/env-dataset.js';
export type { GivenObjects } from '../kinds/run/given.js';
export { buildMemory, type MemoryModuleConfig } from '../kinds/run/held-memory.js';
export { type InProcessResult, type RunInProcessOptions, runInProcess } from '../kinds/run/in-process.js';
export {
  RunTime,
  type RunTimeAgent,
  type RunTimeConfig,
  type RunTimeEpisode,
  type RunTimeMetrics,
  type RunTimeOptions,
  type StepResult,
} from '../kinds/run/run-time.js';
/** `import { runInProcess } from 'reprise/in-process'`: runs, and objects that are composed by hand, without a server. */
export type { RunConfig } from '../kinds/run/schema.js';
export type { InProcessOptions } from './experiment.js';
export { getLmClient, type LMConfig, LmClient, type LmClientOptions, type LmSpent } from './lm-client.js';
export { type SetupLoggerOptions, setupLogger } from './setup-logger.js';

/** Reads a YAML (or JSON) file into a config with every default filled in and every path absolute. */
export function loadConfig(path: string, options: LoadOptions = {}): RunConfig {
  return load(runConfigs, path, options);
}

/** Validates a config given as a plain object. @throws InvalidInputError with a line for each error. */
export function resolveConfig(value: unknown, options: ConfigSource & LoadOptions): RunConfig {
  return resolve(runConfigs, value, options);
}
