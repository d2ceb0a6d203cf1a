import type { LanguageModelConfig } from '../config/language-model-schema.js';
import { parametersOf } from '../config/model-options.js';
import type { AgentRequest } from '../contracts/agent.js';
import type {
  CallIdentity,
  CallRecord,
  GeneratedReply,
  GenerateReply,
  GenerateRequest,
} from '../contracts/language-model.js';
import type { CutOffAttempts } from '../contracts/step-cost.js';
import { cutOffOf, largerCutOff, repeatsOf } from '../runtime/repeats.js';

/** Builds the request for the model: the agent's request, with the run's parameters as defaults. */
export function requestOf(
  lm: LanguageModelConfig,
  call: CallIdentity,
  { messages, parameters = {}, tools }: Omit<AgentRequest, 'purpose'>,
): GenerateRequest {
  const { thinking_budget, reasoning_effort, ...defaults } = parametersOf(lm);
  // The two say the same in different words: a call's own one stands in place of either.
  const isOwn = parameters.thinking_budget !== undefined || parameters.reasoning_effort !== undefined;
  const thinking = {
    ...(thinking_budget === undefined ? {} : { thinking_budget }),
    ...(reasoning_effort === undefined ? {} : { reasoning_effort }),
  };
  return {
    messages,
    parameters: { ...defaults, ...(isOwn ? {} : thinking), ...parameters },
    call,
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Reply of a call, and how it was obtained. */
export interface Answered {
  key: string;
  reply: GenerateReply;
  /** Configured model name, for a reply that names none. */
  model: string;
  cost_usd: number | null;
  latency_ms: number;
  /** Requests that the provider answered with a failure. */
  failures: number;
  cutOff: CutOffAttempts;
  /** True if the reply came from the shared cache: nothing was sent and nothing is paid. */
  cached: boolean;
}

/** Characters of the reasoning that an agent receives when the reply has no text. */
const SHOWN_REASONING = 200;

/** Returns the part of an answered call that its agent receives. */
export function replyOf(record: Omit<CallRecord, 'key'>): GeneratedReply {
  const { text, reasoning, only_thought, finish_reason, cost_usd, usage, usage_estimated, tool_calls } =
    record;
  const { repeated, maybe_repeated, stopped_in_thought } = record;
  return {
    text,
    ...(only_thought === undefined ? {} : { only_thought }),
    ...(stopped_in_thought === undefined ? {} : { stopped_in_thought }),
    ...(reasoning === undefined || text.trim() !== ''
      ? {}
      : { reasoning: reasoning.slice(0, SHOWN_REASONING) }),
    finish_reason,
    ...(cost_usd === null ? {} : { cost_usd }),
    ...(usage === undefined ? {} : { usage }),
    ...(usage_estimated === undefined ? {} : { usage_estimated }),
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(repeated > 0 ? { repeated } : {}),
    ...(maybe_repeated === undefined ? {} : { maybe_repeated }),
  };
}

/** Returns a record that counts at least the known cut-off requests. */
export function repeatedAtLeast(record: CallRecord, known: CutOffAttempts): CallRecord {
  const before = cutOffOf(record);
  const { crashes, sent } = largerCutOff(before, known);
  if (record.cached === true || (crashes === before.crashes && sent === before.sent)) return record;
  const { repeated: _repeated, maybe_repeated: _maybe, ...rest } = record;
  const attempts = record.attempts + crashes - before.crashes;
  return { ...rest, attempts, ...repeatsOf({ crashes, sent }) };
}

/** Builds the row of `calls.jsonl` for an answered call. */
export function recordOf(request: GenerateRequest, answered: Answered): CallRecord {
  const { key, reply, model, cost_usd, latency_ms, failures, cutOff, cached } = answered;
  return {
    ...request.call,
    key,
    model: reply.model ?? model,
    text: reply.text,
    ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
    ...(reply.only_thought === true ? { only_thought: true } : {}),
    ...(reply.stopped_in_thought === true ? { stopped_in_thought: true } : {}),
    ...(reply.tool_calls === undefined ? {} : { tool_calls: reply.tool_calls }),
    ...(reply.as_given === undefined ? {} : { as_given: reply.as_given }),
    finish_reason: reply.finish_reason,
    ...(reply.context_full === undefined ? {} : { context_full: reply.context_full }),
    ...(reply.adapted === undefined ? {} : { adapted: reply.adapted }),
    ...(reply.tokens === undefined ? {} : { tokens: reply.tokens }),
    ...(reply.usage === undefined ? {} : { usage: reply.usage }),
    ...(reply.usage_estimated === true ? { usage_estimated: true } : {}),
    cost_usd: cached ? 0 : cost_usd,
    latency_ms,
    messages: request.messages.map(({ reasoning: _reasoning, as_given: _given, ...message }) => message),
    ...(request.tools === undefined ? {} : { tools: request.tools }),
    parameters: request.parameters,
    attempts: failures + cutOff.crashes + (cached ? 0 : 1),
    ...(cached ? { repeated: 0 } : repeatsOf(cutOff)),
    ...(cached ? { cached: true } : {}),
    at: new Date().toISOString(),
  };
}
