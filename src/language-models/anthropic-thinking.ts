import type { ChatMessage, GenerateParameters, ReasoningEffort } from '../contracts/language-model.js';
import { effortOf, type Notify } from './chat-messages.js';
import { turnIn } from './dialect.js';

/** Value of the mandatory `max_tokens` if a request has no limit. */
const DEFAULT_MAXIMUM_TOKENS = 4096;

/** Minimum budget of manual thinking that the API accepts. */
const MINIMUM_BUDGET = 1024;

/**
 * Models up to Claude 4.6. They accept a temperature (with API version 2023-06-01) and a thinking budget; later ones
 * answer 400 to both and accept `adaptive` thinking with an effort.
 * https://platform.claude.com/docs/en/api/migration-2026-10-21
 */
const CLASSIC_MODEL =
  /claude-(?:instant|[23]\b|(?:opus|sonnet|haiku)-4(?:[-.][0-6])?(?:$|[-@]\d{8}|-latest|@))/;

/** Reports whether a model accepts a temperature and a thinking budget, as those of other vendors with this API do. */
export function isClassic(model: string): boolean {
  return CLASSIC_MODEL.test(model) || !model.includes('claude');
}

/** Classic models that decide themselves when to think: Opus and Sonnet 4.6. */
const CLASSIC_ADAPTIVE_MODEL = /claude-(?:opus|sonnet)-4[-.]6/;

/** Fields of a request that bound and control thinking. */
export interface ThinkingFields {
  max_tokens: number;
  thinking?: { type: 'enabled'; budget_tokens: number } | { type: 'adaptive' } | { type: 'disabled' };
  output_config?: { effort?: ReasoningEffort };
}

/**
 * Reports whether a chat ends in tool results whose turn began without thoughts to send back, beside which the API refuses
 * manual thinking.
 */
export function lacksThoughts(messages: readonly ChatMessage[]): boolean {
  const first = messages.slice(turnIn(messages)).find(({ role }) => role === 'assistant');
  const isAnswered = first !== undefined && messages.at(-1)?.role !== 'assistant';
  return isAnswered && first.as_given?.thoughts === undefined;
}

/** @param withoutThoughts true if the chat {@link lacksThoughts}. */
export function thinkingOf(
  { max_output_tokens, thinking_budget: budget, reasoning_effort }: GenerateParameters,
  model: string,
  withoutThoughts: boolean,
  notify: Notify,
): ThinkingFields {
  const max_tokens = max_output_tokens ?? DEFAULT_MAXIMUM_TOKENS;
  const classic = isClassic(model);
  if (reasoning_effort !== undefined) {
    const isAdaptive = !classic || CLASSIC_ADAPTIVE_MODEL.test(model);
    return {
      max_tokens,
      ...(isAdaptive && { thinking: { type: 'adaptive' } }),
      output_config: { effort: reasoning_effort },
    };
  }
  if (budget === undefined) return { max_tokens };
  if (budget === 0) return { max_tokens, thinking: { type: 'disabled' } };
  if (!classic) {
    if (budget < 0) return { max_tokens, thinking: { type: 'adaptive' } };
    const effort = effortOf(budget);
    notify(`the model takes no thinking budget; ${budget} tokens are sent as the effort '${effort}'`);
    return { max_tokens, thinking: { type: 'adaptive' }, output_config: { effort } };
  }
  if (withoutThoughts) {
    notify('thinking is off in the requests that carry tool results, as no thoughts came before the calls');
    return { max_tokens };
  }
  if (budget < MINIMUM_BUDGET) notify(`the least thinking budget is ${MINIMUM_BUDGET} tokens; that is sent`);
  const budget_tokens = Math.max(budget, MINIMUM_BUDGET);
  // The budget counts towards max_tokens and must be below it, or nothing is left for the answer.
  if (budget_tokens < max_tokens) return { max_tokens, thinking: { type: 'enabled', budget_tokens } };
  notify(
    `max_output_tokens ${max_tokens} leaves no room beside ${budget_tokens} thinking tokens; both are added`,
  );
  return { max_tokens: max_tokens + budget_tokens, thinking: { type: 'enabled', budget_tokens } };
}
