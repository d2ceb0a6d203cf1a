import { isMapping } from '../contracts/json.js';
import { resolveModel } from './language-model-schema.js';

/** A number where it is one; anything else is left to the schema, whose message names the field. */
export function numeric(value: string): unknown {
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** Another model for a section. What belongs to the provider before, and to no other, goes. */
export function withModel(section: Record<string, unknown>, model: string): Record<string, unknown> {
  const before = isMapping(section.lm) ? section.lm : {};
  const { provider, model: name, script, recording, simulation, base_url, ...others } = before;
  const resolvedBefore = resolveModel(provider as never, name as string | undefined);
  const resolved = resolveModel(undefined, model);
  const same =
    'provider' in resolved && 'provider' in resolvedBefore && resolved.provider === resolvedBefore.provider;
  const own = { script, recording, simulation, base_url };
  const kept = same ? Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) : {};
  return { ...section, lm: { ...others, ...kept, model } };
}
