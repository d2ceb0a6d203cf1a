import { checkModels, priceTableOf } from '../../../activities/check-model.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { InvalidInputError } from '../../../config/errors.js';
import { missingCredentials } from '../../../language-models/create.js';
import { PRICES_VARIABLE } from '../../../language-models/price-table.js';
import { costOf } from '../../../language-models/prices.js';
import { atServer } from '../../../language-models/server-address.js';
import { embeddingModels, judgeModels } from '../models.js';
import type { RunConfig } from '../schema.js';
import { embedderSettings } from './embeddings.js';

/** Checks the key and the price of an embedding model. */
function checkEmbedder(
  [section, model]: [string, Parameters<typeof embedderSettings>[0]],
  { limits }: RunConfig,
  environment: WorkerDependencies['environment'],
): void {
  const settings = atServer(embedderSettings(model), environment);
  const field = `${section}.model`;
  const missing = missingCredentials(settings, environment);
  if (missing !== null) throw new InvalidInputError(`${field}: ${missing}`, field);
  const usage = { input_tokens: 1, output_tokens: 0 };
  const table = priceTableOf(environment);
  const price = costOf(settings.provider, settings.model, usage, { baseUrl: settings.base_url, table });
  if (limits.max_cost_usd !== null && price === null) {
    throw new InvalidInputError(
      `limits.max_cost_usd: the price of ${model.model} is not known, so its cost cannot be limited; use max_tokens, or put its price into a file of your own and name that in ${PRICES_VARIABLE}`,
      'limits.max_cost_usd',
    );
  }
}

/** Checks everything about the models that needs no call: keys, files, prices. */
export async function checkLanguageModel(
  config: RunConfig,
  dependencies: Pick<WorkerDependencies, 'environment'>,
): Promise<void> {
  const { environment } = dependencies;
  for (const named of Object.entries(embeddingModels(config))) checkEmbedder(named, config, environment);
  await checkModels({ lm: config.lm, ...judgeModels(config) }, config.limits, environment);
}
