import type { CallRecord } from '../../../contracts/language-model.js';
import { isToolCall } from './user-faults.js';

/**
 * Counts the replies that hold a call of an offered tool as text. A server without a parser for the model's tool calls
 * passes them on so, and nobody makes them.
 */
export function callsAsText(replies: readonly Pick<CallRecord, 'text' | 'tool_calls' | 'tools'>[]): number {
  const holdsCall = ({ text, tool_calls = [], tools = [] }: (typeof replies)[number]) =>
    tool_calls.length === 0 && isToolCall(text) && tools.some(({ name }) => text.includes(name));
  return replies.filter(holdsCall).length;
}
