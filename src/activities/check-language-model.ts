import { InvalidInputError } from '../config/errors.js';
import type { RunConfig } from '../config/schema.js';
import { createLanguageModel, missingCredentials } from '../language-models/create.js';
import { costOf } from '../language-models/prices.js';
import type { WorkerDependencies } from './dependencies.js';

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
    { baseUrl: lm.base_url },
  );
  if (limits.max_cost_usd !== null && price === null) {
    throw new InvalidInputError(
      `limits.max_cost_usd: the price of ${lm.provider}/${lm.model} is not known, so its cost cannot be limited; use max_tokens or max_lm_calls, or add the model to the price table`,
      'limits.max_cost_usd',
    );
  }
}
