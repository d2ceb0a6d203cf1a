import { isOffline, serviceOf } from '../config/providers.js';
import type { Usage } from '../contracts/language-model.js';
import table from './prices.json' with { type: 'json' };

/** Rate in US dollars per million tokens. */
interface Rate {
  input: number;
  output: number;
}

interface Price extends Rate {
  /** Rates of a whole request whose input is longer than `input_tokens`. */
  above?: Rate & { input_tokens: number };
  /** Rates from a day on (`YYYY-MM-DD`, UTC). */
  from?: Record<string, Rate>;
}

export interface PriceTable {
  providers: Record<string, { hosts: string[]; models: Record<string, Price> }>;
  /** Prices of other servers, by the host of their `base_url`. */
  servers: Record<string, Record<string, Price>>;
}

/** Prices that Reprise ships, in `prices.json`. */
export const SHIPPED_PRICES = table as PriceTable;

const TOKENS_PER_PRICE = 1_000_000;

/**
 * Shares of the input's price that writing to a cache costs beside it, at Anthropic and, from GPT-5.6 on, at OpenAI.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 * https://developers.openai.com/api/docs/guides/prompt-caching
 */
const CACHE_WRITE = { minutes: 0.25, hour: 1 };

/**
 * Suffixes of a listed name that have the same price: a date, a build number, `-latest`, or `-preview` with a date;
 * neither `-mini` nor `-preview-tts`.
 */
const VARIANT =
  /^[-@:](?:(?:preview|exp)(?:-(?:\d[\w.]*|customtools|thinking))*|(?:latest|chat-latest|\d{3,})(?:\.[\w.]+)?(?:[-@:][\w.]+)*)$/;

function covers(name: string, model: string): boolean {
  if (name.endsWith('*')) return model.startsWith(name.slice(0, -1));
  return model === name || (model.startsWith(name) && VARIANT.test(model.slice(name.length)));
}

/** @param tier of the service, whose price has a name of its own: `gpt-5-mini@flex` */
function priceOf(models: Record<string, Price>, model: string, tier = ''): Price | undefined {
  const wanted = model.toLowerCase().replace(/^models\//, '');
  const suffix = tier === '' ? '' : `@${tier.toLowerCase()}`;
  const names = Object.keys(models).filter(
    (name) => name.endsWith(suffix) && covers(name.slice(0, name.length - suffix.length), wanted),
  );
  const longest = names.sort((left, right) => right.length - left.length)[0];
  return longest === undefined ? undefined : models[longest];
}

function modelsOf(
  prices: PriceTable,
  provider: string,
  baseUrl: string | undefined,
): Record<string, Price> | undefined {
  const vendor = prices.providers[provider] ?? prices.providers[serviceOf(provider)?.pricedAs ?? ''];
  if (baseUrl === undefined) return vendor?.models;
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname, host } = new URL(baseUrl);
  return vendor?.hosts.includes(hostname) ? vendor.models : prices.servers[host];
}

function rateAt(price: Price, inputTokens: number, day: string): Rate {
  const dated = Object.entries(price.from ?? {}).filter(([from]) => from <= day);
  const current = dated.sort(([left], [right]) => left.localeCompare(right)).at(-1)?.[1] ?? price;
  return price.above !== undefined && inputTokens > price.above.input_tokens ? price.above : current;
}

export interface CostOptions {
  /** Address of a server that is not the vendor's own; its prices are unknown unless the table names it. */
  baseUrl?: string;
  /** Day of the call; today by default. */
  at?: Date;
  table?: PriceTable;
}

/**
 * Returns a model's entry in the table, in US dollars per million tokens; null if it has none.
 * @param tier that it was served at; one without a price of its own has the standard one.
 */
export function priceEntry(
  { provider, model, base_url }: { provider: string; model: string; base_url?: string | undefined },
  table: PriceTable,
  tier?: string,
): Price | null {
  const models = modelsOf(table, provider, base_url);
  if (models === undefined) return null;
  return priceOf(models, model, tier) ?? priceOf(models, model) ?? null;
}

/**
 * Returns the cost of a call in US dollars, from `prices.json`; 0 for models without a network. Null, not 0, if the
 * model or its server has no price there, or the provider did not report the usage.
 */
export function costOf(
  provider: string,
  model: string,
  usage: Usage | undefined,
  { baseUrl, at = new Date(), table: prices = SHIPPED_PRICES }: CostOptions = {},
): number | null {
  if (isOffline(provider)) return 0;
  const price = priceEntry({ provider, model, base_url: baseUrl }, prices, usage?.service_tier);
  if (price === null || usage === undefined) return null;
  const { input_tokens, output_tokens, cache_write_tokens = 0, cache_write_1h_tokens: hour = 0 } = usage;
  const rate = rateAt(price, input_tokens, at.toISOString().slice(0, 10));
  const surcharge = (cache_write_tokens - hour) * CACHE_WRITE.minutes + hour * CACHE_WRITE.hour;
  return ((input_tokens + surcharge) * rate.input + output_tokens * rate.output) / TOKENS_PER_PRICE;
}
