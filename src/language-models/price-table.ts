import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { quotable } from '../config/named-files.js';
import { jsonFault } from '../contracts/json.js';
import { LanguageModelError } from './errors.js';
import { type PriceTable, SHIPPED_PRICES } from './prices.js';

const perMillionTokens = z.number().nonnegative();
const rateSchema = z.strictObject({ input: perMillionTokens, output: perMillionTokens });
const priceSchema = rateSchema.extend({
  above: rateSchema.extend({ input_tokens: z.int().positive() }).optional(),
  from: z.record(z.iso.date(), rateSchema).optional(),
});
const modelsSchema = z.record(z.string(), priceSchema);

/** Schema of a user's prices, in the shape of the shipped `prices.json`; every part is optional. */
const ownPricesSchema = z.strictObject({
  providers: z.record(z.string(), modelsSchema).default({}),
  servers: z.record(z.string(), modelsSchema).default({}),
});

/** Environment variable that names a file of a user's own prices. */
export const PRICES_VARIABLE = 'REPRISE_PRICES';

function jsonOrFileFault(error: Error): string {
  return error instanceof SyntaxError ? quotable(error.message, jsonFault(error)) : error.message;
}

/**
 * Returns the shipped prices, overridden by those of the file that REPRISE_PRICES names: `providers` by provider and
 * model, `servers` by the host (and port) of a `base_url`.
 * @throws LanguageModelError (`configuration`) if that file cannot be read or is no price table.
 */
export function priceTable(environment: Readonly<Record<string, string | undefined>>): PriceTable {
  const path = environment[PRICES_VARIABLE];
  if (!path) return SHIPPED_PRICES;
  let own: z.output<typeof ownPricesSchema>;
  try {
    own = ownPricesSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : jsonOrFileFault(error as Error);
    throw new LanguageModelError('configuration', `${PRICES_VARIABLE}: ${path} is no price table: ${why}`, {
      provider: 'prices',
    });
  }
  const providers = { ...SHIPPED_PRICES.providers };
  for (const [provider, models] of Object.entries(own.providers)) {
    const shipped = providers[provider] ?? { hosts: [], models: {} };
    providers[provider] = { ...shipped, models: { ...shipped.models, ...models } };
  }
  return { providers, servers: { ...SHIPPED_PRICES.servers, ...own.servers } };
}
