import { createHash } from 'node:crypto';
import type { CallIdentity, GenerateRequest } from '../contracts/language-model.js';

/** JSON with sorted keys: equal values have equal text, however they were built. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

/**
 * A call's key: model, parameters, messages and identity. The same key means the same question asked at the same
 * place, so its answer is never paid twice.
 */
export function callKeyOf(model: string, request: GenerateRequest): string {
  return hash({ model, ...request });
}

/** The key without the identity: equal prompts share it (`lm.cache`). */
export function promptKeyOf(model: string, request: GenerateRequest): string {
  const { call: _call, ...rest } = request;
  return hash({ model, ...rest });
}

/** Names a call's place in the run; its record lies there, and holds the key to be compared. */
export function identityHash(call: CallIdentity): string {
  const { sample_id, trial, purpose, ordinal } = call;
  return hash([sample_id, trial, purpose, ordinal]);
}
