import { isOffline } from '../config/providers.js';
import { priceTable } from '../language-models/price-table.js';
import { priceEntry } from '../language-models/prices.js';
import { atServer } from '../language-models/server-address.js';
import type { WorkerDependencies } from './dependencies.js';

interface PricedModel {
  provider: string;
  model: string;
  base_url?: string | undefined;
}

/**
 * Returns this worker's prices of these models, as text by label, so that a cost computed from two price tables can be
 * marked. Free models have no entry.
 */
export function pricesInUse(
  models: readonly PricedModel[],
  environment: WorkerDependencies['environment'],
): Record<string, string> {
  const table = priceTable(environment);
  const paid = models.filter(({ provider }) => !isOffline(provider)).map((one) => atServer(one, environment));
  return Object.fromEntries(
    paid.map((one) => [`the price of ${one.provider}/${one.model}`, JSON.stringify(priceEntry(one, table))]),
  );
}
