import { isDeepStrictEqual } from 'node:util';
import type { CallRecord, ChatMessage } from '../contracts/language-model.js';
import { argumentsObject } from '../language-models/chat-messages.js';

/** Calls of tools as a loop of one's own may write them again: arguments are compared by what they say. */
const asCalled = ({ tool_calls = [] }: Pick<ChatMessage, 'tool_calls'>) =>
  tool_calls.map(({ id, name, arguments: given }) => ({ id, name, given: argumentsObject(given) }));

/**
 * Returns the chat of a loop of one's own, whose calls of tools have again what came with them.
 * @param replies earlier ones of the same model, of which the last that says the same counts.
 */
export function withGiven(messages: readonly ChatMessage[], replies: readonly CallRecord[]): ChatMessage[] {
  const known = replies.filter(({ as_given }) => as_given !== undefined);
  if (known.length === 0) return [...messages];
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    const calls = asCalled(message);
    const reply = known.findLast(
      (one) => one.text === message.content && isDeepStrictEqual(asCalled(one), calls),
    );
    return reply === undefined ? message : { ...message, as_given: reply.as_given };
  });
}
