import { InvalidInputError } from '../config/errors.js';
import type { RunConfig } from '../config/schema.js';
import { createLanguageModel, missingCredentials } from '../language-models/create.js';
import { PRICES_VARIABLE, priceTable } from '../language-models/price-table.js';
import { costOf, type PriceTable } from '../language-models/prices.js';
import type { WorkerDependencies } from './dependencies.js';

function priceTableOf(environment: WorkerDependencies['environment']): PriceTable {
  try {
    return priceTable(environment);
  } catch (error) {
    throw new InvalidInputError((error as Error).message, PRICES_VARIABLE);
  }
}

/** Everything about the model that can be checked without a call: keys, files, prices. */
export async function checkLanguageModel(
  config: RunConfig,
  dependencies: Pick<WorkerDependencies, 'environment'>,
): Promise<void> {
  const { lm, limits } = config;
  const missing = missingCredentials(lm, dependencies.environment);
  if (missing !== null) throw new InvalidInputError(`lm.model: ${missing}`, 'lm.model');
  if (lm.provider === 'scripted') {
    await createLanguageModel(lm, { environment: dependencies.environment }).catch((error: Error) => {
      throw new InvalidInputError(`lm.script: ${error.message}`, 'lm.script');
    });
  }
  const price = costOf(
    lm.provider,
    lm.model,
    { input_tokens: 1, output_tokens: 1 },
    { baseUrl: lm.base_url, table: priceTableOf(dependencies.environment) },
  );
  if (limits.max_cost_usd !== null && price === null) {
    throw new InvalidInputError(
      `limits.max_cost_usd: the price of ${lm.provider}/${lm.model} is not known, so its cost cannot be limited; use max_tokens or max_lm_calls, or put its price into a file of your own and name that in ${PRICES_VARIABLE}`,
      'limits.max_cost_usd',
    );
  }
}
