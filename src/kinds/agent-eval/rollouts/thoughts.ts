import type { ChatMessage } from '../../../contracts/language-model.js';

/** Thoughts of a reply, in words and in its provider's own form. */
export type Thoughts = Pick<ChatMessage, 'reasoning' | 'as_given'>;

/**
 * Returns a conversation with the agent's thoughts, which models want back with the results of their calls.
 * @param thoughts those of the agent's replies, in their order. Earlier messages are the row's.
 */
export function withThoughts(messages: readonly ChatMessage[], thoughts: readonly Thoughts[]): ChatMessage[] {
  if (thoughts.every(({ reasoning = '', as_given }) => reasoning === '' && as_given === undefined))
    return [...messages];
  const replies = messages.filter(({ role }) => role === 'assistant');
  let before = thoughts.length - replies.length;
  return messages.map((message) =>
    // Servers that require thoughts want the field even where there are none.
    message.role === 'assistant' ? { ...message, ...thoughts[before++] } : message,
  );
}
