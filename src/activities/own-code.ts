import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EvolveConfig } from '../config/evolve-schema.js';
import type { RunConfig } from '../config/schema.js';
import { withImports } from '../user-code/with-imports.js';
import type { OwnCode } from './code-changes.js';
import type { WorkerDependencies } from './dependencies.js';
import { embedderSettings } from './embeddings.js';
import { pricesInUse } from './prices-in-use.js';

function codeOf(named: readonly (string | undefined)[]): OwnCode {
  // Another machine's file may be missing here.
  const files = named.filter((file) => file !== undefined && existsSync(file)) as string[];
  return {
    paths: files.flatMap((file) => [...withImports(file).keys()]),
    folders: files.map((file) => dirname(file)),
  };
}

/** The files of a config's own environment and agent. */
export function ownCodeOf({ dataset, agent }: Pick<RunConfig, 'dataset' | 'agent'>): OwnCode {
  return codeOf([dataset.env_file, 'file' in agent ? (agent.file as string) : undefined]);
}

/** The file of an evolution's own scorer. */
export function ownScorerOf({ domain }: Pick<EvolveConfig, 'domain'>): OwnCode {
  return codeOf([domain.file]);
}

/** The same, and what its models cost on this worker. */
export function ownCodeAndPrices(config: RunConfig, environment: WorkerDependencies['environment']): OwnCode {
  const { lm, memory } = config;
  const isPaid = 'retrieval' in memory && memory.retrieval.backend === 'embedding';
  const models = isPaid ? [lm, embedderSettings(memory.retrieval)] : [lm];
  return { ...ownCodeOf(config), values: pricesInUse(models, environment) };
}

/** The same of an evolution. */
export function ownScorerAndPrices(
  config: EvolveConfig,
  environment: WorkerDependencies['environment'],
): OwnCode {
  const { scaffolder, executor } = config;
  const models = [scaffolder.lm, ...(executor === null ? [] : [executor.lm])];
  return { ...ownScorerOf(config), values: pricesInUse(models, environment) };
}
