import type { ChatMessage } from '../../../contracts/language-model.js';

/**
 * Returns a conversation with the agent's thoughts, which servers such as DeepSeek's require back.
 * @param thoughts those of the agent's replies, in their order; '' where there are none. Earlier messages are the row's.
 */
export function withThoughts(messages: readonly ChatMessage[], thoughts: readonly string[]): ChatMessage[] {
  if (thoughts.every((thought) => thought === '')) return [...messages];
  const replies = messages.filter(({ role }) => role === 'assistant');
  let before = thoughts.length - replies.length;
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const reasoning = thoughts[before++];
    return reasoning === undefined ? message : { ...message, reasoning };
  });
}
