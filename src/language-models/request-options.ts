import { OPTION_ROWS } from '../config/model-options.js';
import type { Api } from '../config/providers.js';
import { isMapping, type JsonObject } from '../contracts/json.js';
import type { GenerateParameters } from '../contracts/language-model.js';
import type { Dialect } from './dialect.js';

/** Returns the options that an API takes as they are, under its own names; without those that a server refuses. */
export function plainOptions(
  api: Api,
  parameters: GenerateParameters,
  dialect: Partial<Dialect>,
): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const [name, { wire }] of OPTION_ROWS) {
    const place = wire[api];
    const isTaken = (dialect as Readonly<Record<string, unknown>>)[name] !== false;
    if (typeof place === 'string' && parameters[name] !== undefined && isTaken)
      sent[place] = parameters[name];
  }
  return sent;
}

/** Returns a request's body with the further fields of `extra_body`. Where both have a value, it is the body's own. */
export function withExtraBody<Body extends object>(body: Body, extra: JsonObject | undefined): Body {
  if (extra === undefined) return body;
  const merged: Record<string, unknown> = { ...extra, ...body };
  for (const [name, value] of Object.entries(body)) {
    const beside = extra[name];
    if (isMapping(value) && isMapping(beside)) merged[name] = withExtraBody(value, beside as JsonObject);
    else if (value === undefined && beside !== undefined) merged[name] = beside;
  }
  return merged as Body;
}

/** Returns a name for a JSON Schema of replies, from its title, in characters that every API takes. */
export function nameOfFormat({ title }: JsonObject): string {
  return (typeof title === 'string' && title.replaceAll(/[^\w-]+/g, '_').slice(0, 64)) || 'reply';
}
