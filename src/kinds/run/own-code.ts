import type { WorkerDependencies } from '../../activities/dependencies.js';
import { pricesInUse } from '../../activities/prices-in-use.js';
import { type OwnCode, ownCodeIn } from '../../user-code/code-file.js';
import { embedderSettings } from './activities/embeddings.js';
import type { RunConfig } from './schema.js';

/** Returns the user's code of a config: the files of its environment, agent and memory. */
export function ownCodeOf({
  dataset,
  agent,
  memory,
}: Pick<RunConfig, 'dataset' | 'agent' | 'memory'>): OwnCode {
  return ownCodeIn([
    dataset.env_file,
    'file' in agent ? (agent.file as string) : undefined,
    memory._type === 'own' ? memory.file : undefined,
  ]);
}

/** Returns the user's code of a config, and its models' prices on this worker. */
export function ownCodeAndPrices(config: RunConfig, environment: WorkerDependencies['environment']): OwnCode {
  const { lm, memory } = config;
  const isPaid = 'retrieval' in memory && memory.retrieval.backend === 'embedding';
  const models = isPaid ? [lm, embedderSettings(memory.retrieval)] : [lm];
  return { ...ownCodeOf(config), values: pricesInUse(models, environment) };
}
