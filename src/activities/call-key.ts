import { createHash } from 'node:crypto';
import type { CodeRequest } from '../contracts/agent.js';
import type { ExecutionIdentity } from '../contracts/execution.js';
import type { CallIdentity, GenerateRequest } from '../contracts/language-model.js';

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** What is asked, field by field in a fixed order, so that equal questions have equal text. */
function question(model: string, { messages, parameters, tools }: GenerateRequest): unknown[] {
  const { temperature = null, max_output_tokens = null, thinking_budget = null, logprobs } = parameters;
  const spoken = messages.map(({ role, content, tool_calls, tool_call_id }) => [
    role,
    content,
    ...(tool_calls === undefined && tool_call_id === undefined
      ? []
      : [tool_calls ?? null, tool_call_id ?? null]),
  ]);
  const asked = [model, temperature, max_output_tokens, thinking_budget, spoken, tools ?? null];
  return logprobs === undefined ? asked : [...asked, { logprobs }];
}

function place({ sample_id, trial, purpose, ordinal }: CallIdentity): unknown[] {
  return [sample_id, trial, purpose, ordinal];
}

/**
 * A call's key: model, parameters, messages and identity. The same key means the same question asked at the same
 * place, so its answer is never paid twice.
 */
export function callKeyOf(model: string, request: GenerateRequest): string {
  return hash([...question(model, request), ...place(request.call)]);
}

/** The key without the identity: equal prompts share it (`lm.cache`). */
export function promptKeyOf(model: string, request: GenerateRequest): string {
  return hash(question(model, request));
}

/**
 * What a provider is sent to recognise a repeat. Of one experiment: a second run asks anew, and must not be given the
 * first one's replies.
 */
export function idempotencyKeyOf(run: string, key: string): string {
  return hash([run, key]);
}

/** Names an execution's place in the run; its record lies there, and holds the key to be compared. */
export function executionHash({ sample_id, trial, ordinal }: ExecutionIdentity): string {
  return hash(['execution', sample_id, trial, ordinal]);
}

/** An execution's key: the program, what it may use, and the identity. */
export function executionKeyOf(
  execution: ExecutionIdentity,
  { code, timeout_sec }: CodeRequest,
  sandbox: object,
): string {
  return hash([code, timeout_sec, sandbox, executionHash(execution)]);
}

/** Names a call's place in the run; its record lies there, and holds the key to be compared. */
export function identityHash(call: CallIdentity): string {
  return hash(place(call));
}
