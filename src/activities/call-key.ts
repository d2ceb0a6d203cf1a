import { createHash } from 'node:crypto';
import type { CodeRequest } from '../contracts/agent.js';
import type { ExecutionIdentity } from '../contracts/execution.js';
import type { CallIdentity, GenerateRequest } from '../contracts/language-model.js';

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/**
 * Lists the fields of a request in a fixed order, so that equal requests have equal text. A parameter that is not set
 * has no place, so that a new one changes no key.
 */
function question(model: string, { messages, parameters, tools }: GenerateRequest): unknown[] {
  const { temperature = null, max_output_tokens = null, thinking_budget = null, ...others } = parameters;
  const spoken = messages.map(({ role, content, images, tool_calls, tool_call_id }) => [
    role,
    content,
    ...(tool_calls === undefined && tool_call_id === undefined
      ? []
      : [tool_calls ?? null, tool_call_id ?? null]),
    ...(images === undefined ? [] : [{ images: images.map(({ key }) => key) }]),
  ]);
  const asked = [model, temperature, max_output_tokens, thinking_budget, spoken, tools ?? null];
  const set = Object.entries(others).filter(([, value]) => value !== undefined);
  if (set.length === 0) return asked;
  return [...asked, Object.fromEntries(set.sort(([left], [right]) => (left < right ? -1 : 1)))];
}

function place({ sample_id, trial, purpose, ordinal }: CallIdentity): unknown[] {
  return [sample_id, trial, purpose, ordinal];
}

/**
 * Returns a call's key: a hash of model, parameters, messages and identity. The same key means the same request for the
 * same identity, so its reply is never paid for twice.
 */
export function callKeyOf(model: string, request: GenerateRequest): string {
  return hash([...question(model, request), ...place(request.call)]);
}

/** Returns the key without the identity, which equal prompts share (`lm.cache`). */
export function promptKeyOf(model: string, request: GenerateRequest): string {
  return hash(question(model, request));
}

/**
 * Returns the key of a call that runs share (`lm.cache: runs`): equal prompts in the same place.
 * @param seed that of the run, where only runs of one seed share (`lm.cache: seed`)
 */
export function sharedCallKeyOf(model: string, request: GenerateRequest, seed?: number): string {
  const shared = seed === undefined ? 'runs' : `runs of seed ${seed}`;
  return hash([shared, ...question(model, request), ...place(request.call)]);
}

/**
 * Returns the key by which a provider recognises a repeated request. It includes the experiment: a second run sends new
 * requests and must not receive the first one's replies.
 */
export function idempotencyKeyOf(run: string, key: string): string {
  return hash([run, key]);
}

/** Returns the name of an execution's record in the run; the record holds the key to be compared. */
export function executionHash({ sample_id, trial, ordinal }: ExecutionIdentity): string {
  return hash(['execution', sample_id, trial, ordinal]);
}

/** Returns an execution's key: a hash of program, time limit, sandbox and identity. */
export function executionKeyOf(
  execution: ExecutionIdentity,
  { code, timeout_sec }: CodeRequest,
  sandbox: object,
): string {
  return hash([code, timeout_sec, sandbox, executionHash(execution)]);
}

/** Returns the name of a call's record in the run; the record holds the key to be compared. */
export function identityHash(call: CallIdentity): string {
  return hash(place(call));
}
