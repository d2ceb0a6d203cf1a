import type { WorkerDependencies } from '../../activities/dependencies.js';
import { pricesInUse } from '../../activities/prices-in-use.js';
import { type OwnCode, ownCodeIn } from '../../user-code/code-file.js';
import { embedderSettings } from './activities/embeddings.js';
import { embeddingModels, judgeModels } from './models.js';
import type { RunConfig } from './schema.js';
import { scorerFiles } from './scorers/own-scorer.js';

/** Returns the user's code of a config: the files of its environment, agent, memory and scorers. */
export function ownCodeOf({
  dataset,
  agent,
  memory,
  scorers,
}: Pick<RunConfig, 'dataset' | 'agent' | 'memory' | 'scorers'>): OwnCode {
  return ownCodeIn([
    dataset.env_file,
    'file' in agent ? (agent.file as string) : undefined,
    memory._type === 'own' ? memory.file : undefined,
    ...scorerFiles(scorers),
  ]);
}

/** Returns the user's code of a config, and its models' prices on this worker. */
export function ownCodeAndPrices(config: RunConfig, environment: WorkerDependencies['environment']): OwnCode {
  const embedders = Object.values(embeddingModels(config)).map(embedderSettings);
  const models = [config.lm, ...Object.values(judgeModels(config)), ...embedders];
  return { ...ownCodeOf(config), values: pricesInUse(models, environment) };
}
