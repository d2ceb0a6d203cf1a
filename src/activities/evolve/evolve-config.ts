import { InvalidInputError } from '../../config/errors.js';
import { type EvolveLoadOptions, loadEvolveConfig, resolveEvolveConfig } from '../../config/evolve-load.js';
import type { EvolveConfig } from '../../config/evolve-schema.js';
import { outputLocation } from '../../config/paths.js';
import { THE_INPUT } from '../../config/read-config.js';
import { isMapping, type JsonObject } from '../../contracts/json.js';
import { checkModel } from '../check-model.js';
import { configReference, namesConfig } from '../config-reference.js';
import type { WorkerDependencies } from '../dependencies.js';
import type { OpenStore } from '../locate.js';
import { checkFork, type EvolveFork, type ForkSource, findFork, forkedConfig } from './evolve-fork.js';

/** What an experiment asks for, and what it begins with where it is a fork. */
export interface AskedEvolution {
  config: EvolveConfig;
  fork: ForkSource | null;
}

/** Where experiments are looked for and kept when neither a config nor a flag says so. */
const DEFAULT_RESULTS = 'experiments';

async function askedWith(
  config: EvolveConfig,
  fork: EvolveFork | null,
  openStore: OpenStore,
): Promise<AskedEvolution> {
  if (fork === null) return { config, fork: null };
  const source = await findFork(openStore, config.output.results_dir, fork);
  checkFork(source, config);
  return { config, fork: source };
}

/**
 * The config of a file, or of flags alone; of a fork without a file, that of the experiment it begins from, with what
 * the flags change.
 * @throws InvalidInputError that names the field, or the experiment that is not there.
 */
export async function readEvolveConfig(
  path: string | null,
  options: EvolveLoadOptions & { fork?: EvolveFork | null },
  openStore: OpenStore,
): Promise<AskedEvolution> {
  const { fork = null, ...load } = options;
  if (fork === null || path !== null) return askedWith(loadEvolveConfig(path, load), fork, openStore);
  const working = load.workingFolder ?? process.cwd();
  const given = load.resultsDir ?? load.flags?.results_dir ?? DEFAULT_RESULTS;
  const resultsDir = outputLocation(given, 'output.results_dir', working);
  const source = await findFork(openStore, resultsDir, fork);
  const config = resolveEvolveConfig(forkedConfig(source, resultsDir), {
    source: `the config of ${fork.experiment}`,
    folder: working,
    fallbackName: null,
    ...load,
  });
  checkFork(source, config);
  return { config, fork: source };
}

function forkOf(given: unknown): EvolveFork | null {
  if (given === undefined || given === null) return null;
  const { experiment, at_iteration } = isMapping(given) ? given : {};
  if (typeof experiment === 'string' && typeof at_iteration === 'number') return { experiment, at_iteration };
  throw new InvalidInputError('fork: is {"experiment": "…", "at_iteration": 3}', 'fork');
}

/**
 * What a workflow's input means: `{config_path, set?, name?, results_dir?, fork?}`; the same without config_path, where
 * there is a fork; or a config itself, with `fork` beside its fields.
 * @throws InvalidInputError that names the field.
 */
export async function evolveConfigOf(
  input: unknown,
  workflowId: string,
  openStore: OpenStore,
): Promise<AskedEvolution> {
  if (!isMapping(input)) {
    throw new InvalidInputError('the input of evolve is {"config_path": "…"} or a config');
  }
  const { fork: givenFork, ...given } = input;
  const fork = forkOf(givenFork);
  const isReference = namesConfig(given) || (fork !== null && !('scaffolder' in given));
  if (!isReference) {
    const config = resolveEvolveConfig(given, {
      source: THE_INPUT,
      folder: process.cwd(),
      fallbackName: workflowId,
    });
    return askedWith(config, fork, openStore);
  }
  const { path, options } = configReference(given, {
    example: 'evolution.num_iterations=8',
    further: ['fork'],
  });
  return readEvolveConfig(path, { ...options, fork }, openStore);
}

/** What {@link evolveConfigOf} reads as this config and this fork: all of it, so that any worker can begin. */
export function evolveInputOf({ config, fork }: AskedEvolution): JsonObject {
  const origin =
    fork === null ? {} : { fork: { experiment: fork.store.uri, at_iteration: fork.at_iteration } };
  return JSON.parse(JSON.stringify({ ...config, ...origin })) as JsonObject;
}

/**
 * Everything that can be checked of both models without a call.
 * @throws InvalidInputError that names the field.
 */
export async function checkEvolveModels(
  { scaffolder, executor, limits }: EvolveConfig,
  { environment }: Pick<WorkerDependencies, 'environment'>,
): Promise<void> {
  await checkModel(scaffolder.lm, 'scaffolder.lm', limits, environment);
  if (executor !== null) await checkModel(executor.lm, 'executor.lm', limits, environment);
}
