import type { CallRecord, FinishReason } from '../contracts/language-model.js';
import type { CutOffReplies } from '../contracts/results.js';

/**
 * Reports whether an empty reply is an error. One that used up its token limit, or that holds only thoughts, is judged
 * as the model's answer.
 */
export function isMissing(reply: Pick<CallRecord, 'text' | 'only_thought' | 'finish_reason'>): boolean {
  return reply.text.trim() === '' && reply.only_thought !== true && !isCutOff(reply);
}

/** Reports whether a model ended an empty reply by itself: of a provider's fault no token but reasoning is reported. */
export function isOwnEnd({
  finish_reason,
  usage,
  usage_estimated,
}: Pick<CallRecord, 'finish_reason' | 'usage' | 'usage_estimated'>): boolean {
  const { output_tokens = 0, reasoning_tokens = 0 } = usage ?? {};
  return finish_reason === 'stop' && usage_estimated !== true && output_tokens > reasoning_tokens;
}

/** Returns the error message for an empty reply. */
export function emptyReplyText({
  finish_reason,
  reasoning = '',
  stopped_in_thought,
}: {
  finish_reason: FinishReason;
  reasoning?: string;
  stopped_in_thought?: true;
}): string {
  const what = reasoning === '' ? '' : ': all its words are reasoning';
  const why = stopped_in_thought === true ? ', which one of the texts of `stop` ended' : '';
  return `the model's reply is empty${what}${why} (finish reason: ${finish_reason})`;
}

/** Error of a reply without any text, which is not scored: its unit becomes an error row. */
export class EmptyReplyError extends Error {
  override readonly name = 'EmptyReply';
}

/** Fields of a reply that describe how a limit cut it off. */
export type EndedReply = Pick<
  CallRecord,
  'text' | 'reasoning' | 'tool_calls' | 'finish_reason' | 'context_full' | 'usage' | 'parameters'
>;

/** Reports whether a reply used up its token limit, which is no error of its provider. */
export function isCutOff({ finish_reason }: Pick<CallRecord, 'finish_reason'>): boolean {
  return finish_reason === 'length';
}

/**
 * Describes a reply that a limit cut off, and names the setting to raise.
 * @param section section of the config, such as `models.agent`.
 */
export function cutOffText(reply: EndedReply, section = 'lm'): string {
  const { context_full: full } = reply;
  if (full !== undefined) return `the conversation has filled the context before the reply began: ${full}`;
  const { max_output_tokens: limit, reasoning_effort } = reply.parameters;
  const { output_tokens: used, reasoning_tokens: thought } = reply.usage ?? {};
  const thinks = (reply.reasoning ?? '') !== '' || (thought ?? 0) > 0;
  const saysNothing = reply.text.trim() === '' && (reply.tool_calls ?? []).length === 0;
  const had = !saysNothing ? '' : thinks ? ' with nothing but reasoning in it' : ' before it said anything';
  const counted =
    thought === undefined || thought === 0 ? '' : ` (${thought} of ${used} tokens were reasoning)`;
  const raised = `raise ${section}.max_output_tokens${limit === undefined ? '' : ` (${limit})`}`;
  const thinking = reasoning_effort === undefined ? 'thinking_budget' : 'reasoning_effort';
  const lowered = thinks ? `, or lower ${section}.${thinking}` : '';
  const isWithin = limit !== undefined && used !== undefined && used < limit;
  const window = isWithin ? ', or shorten the prompt where the context window is full' : '';
  return `the reply was cut off at its token limit${had}${counted}: ${raised}${lowered}${window}`;
}

/** Summarizes the cut-off replies of a row; null if there are none. */
export function cutOffReplies(replies: readonly EndedReply[], section?: string): CutOffReplies | null {
  const cut = replies.filter(isCutOff);
  const last = cut.at(-1);
  if (last === undefined) return null;
  const sum = (field: 'output_tokens' | 'reasoning_tokens') =>
    cut.reduce((total, { usage }) => total + (usage?.[field] ?? 0), 0);
  const isCounted = cut.some(({ usage }) => usage?.reasoning_tokens !== undefined);
  return {
    replies: cut.length,
    output_tokens: sum('output_tokens'),
    ...(isCounted ? { reasoning_tokens: sum('reasoning_tokens') } : {}),
    message: cutOffText(last, section),
  };
}
