import { InvalidInputError } from '../config/errors.js';
import type { LanguageModelConfig } from '../config/language-model-schema.js';
import { modelNameOf } from '../config/model-name.js';
import { ONLY_COMPATIBLE } from '../config/model-options.js';
import { apiOf } from '../config/providers.js';
import type { Limits } from '../contracts/experiment.js';
import { createLanguageModel, missingClient, missingCredentials } from '../language-models/create.js';
import { PRICES_VARIABLE, priceTable } from '../language-models/price-table.js';
import { costOf, type PriceTable, priceEntry } from '../language-models/prices.js';
import { atServer, isOpenAIsOwn } from '../language-models/server-address.js';
import { tierAsked } from '../language-models/usage.js';
import type { WorkerDependencies } from './dependencies.js';

/** The standard tier, and those that cost at most as much, which counts where their price is not known. */
const CHEAPER = [undefined, 'flex', 'batch'];

type Environment = WorkerDependencies['environment'];

/** Reads the price table. @throws InvalidInputError if the user's own table cannot be read. */
export function priceTableOf(environment: Environment): PriceTable {
  try {
    return priceTable(environment);
  } catch (error) {
    throw new InvalidInputError((error as Error).message, PRICES_VARIABLE);
  }
}

/** Returns the model with the server that the config or the environment names. @throws InvalidInputError */
function modelAt(lm: LanguageModelConfig, section: string, environment: Environment): LanguageModelConfig {
  try {
    return atServer(lm, environment);
  } catch (error) {
    throw new InvalidInputError((error as Error).message, `${section}.base_url`);
  }
}

/**
 * Checks all of a model that needs no call: its key, its script, its options, and its price if costs are limited.
 * @param section the model's section of the config, e.g. `models.agent`.
 * @throws InvalidInputError that names the field.
 */
export async function checkModel(
  given: LanguageModelConfig,
  section: string,
  { max_cost_usd }: Pick<Limits, 'max_cost_usd'>,
  environment: Environment,
): Promise<void> {
  const lm = modelAt(given, section, environment);
  const missing = missingCredentials(lm, environment);
  if (missing !== null) throw new InvalidInputError(`${section}.model: ${missing}`, `${section}.model`);
  const uninstalled = missingClient(lm.provider);
  if (uninstalled !== null)
    throw new InvalidInputError(`${section}.model: ${uninstalled}`, `${section}.model`);
  if (lm.provider === 'scripted') {
    await createLanguageModel(lm, { environment }).catch((error: Error) => {
      throw new InvalidInputError(`${section}.script: ${error.message}`, `${section}.script`);
    });
  }
  const lacking = ONLY_COMPATIBLE.find((name) => lm[name] !== undefined);
  if (lacking !== undefined && apiOf(lm.provider) === 'openai' && isOpenAIsOwn(lm.base_url)) {
    throw new InvalidInputError(
      `${section}.${lacking}: OpenAI's own API has no such option; leave it out, or name a server that has it in ${section}.base_url`,
      `${section}.${lacking}`,
    );
  }
  const table = priceTableOf(environment);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const price = costOf(lm.provider, lm.model, usage, { baseUrl: lm.base_url, table });
  const tier = tierAsked(lm);
  const isOwn = CHEAPER.includes(tier) || priceEntry(lm, table, tier) !== priceEntry(lm, table);
  if (max_cost_usd !== null && (price === null || (price > 0 && !isOwn))) {
    const name = isOwn ? modelNameOf(lm) : `${modelNameOf(lm)}@${tier}`;
    throw new InvalidInputError(
      `limits.max_cost_usd: the price of ${name} is not known, so its cost cannot be limited; use max_tokens or max_lm_calls, or put its price into a file of your own and name that in ${PRICES_VARIABLE}`,
      'limits.max_cost_usd',
    );
  }
}

/** Checks every model of a config in this way. @param models by their sections */
export async function checkModels(
  models: Readonly<Record<string, LanguageModelConfig>>,
  limits: Pick<Limits, 'max_cost_usd'>,
  environment: Environment,
): Promise<void> {
  for (const [section, lm] of Object.entries(models)) await checkModel(lm, section, limits, environment);
}
