import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../contracts/json.js';
import { UnscoredError } from './score.js';

/** Compiled schemas, by their texts. */
const compiled = new LRUCache<string, ValidateFunction>({ max: 32 });

/** Drafts before 2019-09, whose keywords are others. */
const OLD_DRAFT = /draft-0[4-7]/;

/** Returns the validator of a schema; of `format`, nothing is checked. @throws Error if it is none. */
export function validatorOf(schema: JsonObject): ValidateFunction {
  const key = JSON.stringify(schema);
  const held = compiled.get(key);
  if (held !== undefined) return held;
  // Only some runs need the package.
  const load = createRequire(import.meta.url);
  const { $schema: draft, ...rest } = schema;
  const isOld = typeof draft === 'string' && OLD_DRAFT.test(draft);
  const { default: Ajv } = load(isOld ? 'ajv' : 'ajv/dist/2020.js') as typeof import('ajv');
  const validate = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(rest);
  compiled.set(key, validate);
  return validate;
}

/** Fence around the whole of a reply. */
const FENCED = /^```\w*[ \t]*\n([\s\S]*?)\n?```$/;

/**
 * Reports whether a reply is JSON, alone or in a fence, and valid by a schema: `parsed` and `valid` apart.
 * @throws UnscoredError if the schema fails on it.
 */
export function validJson(reply: string, schema: JsonObject | undefined): Record<string, boolean> {
  const text = reply.trim();
  let value: unknown;
  try {
    value = JSON.parse(FENCED.exec(text)?.[1] ?? text);
  } catch {
    return { '': false, parsed: false };
  }
  if (schema === undefined) return { '': true, parsed: true };
  try {
    return { '': validatorOf(schema)(value) === true, parsed: true };
  } catch (error) {
    throw new UnscoredError(`the schema cannot be applied: ${(error as Error).message}`);
  }
}
