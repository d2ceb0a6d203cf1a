import type { CallRecord, ChatMessage, ToolCall } from '../contracts/language-model.js';
import { argumentsObject } from '../language-models/chat-messages.js';

/** Returns a text and calls of tools as a loop of one's own may write them again: arguments by what they say. */
function saidIn(text: string, calls: readonly ToolCall[] = []): string {
  return JSON.stringify([text, calls.map((call) => [call.id, call.name, argumentsObject(call.arguments)])]);
}

/**
 * Returns the chat of a loop of one's own, whose calls of tools have again what came with them.
 * @param replies earlier ones of the same model, of which the last that says the same counts.
 */
export function withGiven(messages: readonly ChatMessage[], replies: readonly CallRecord[]): ChatMessage[] {
  const known = replies.filter(({ as_given }) => as_given !== undefined);
  if (known.length === 0) return [...messages];
  const given = new Map(known.map(({ text, tool_calls, as_given }) => [saidIn(text, tool_calls), as_given]));
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    const as_given = given.get(saidIn(message.content, message.tool_calls));
    return as_given === undefined ? message : { ...message, as_given };
  });
}
