import type { ChatMessage } from './language-model.js';

/**
 * Formats messages as one text for people, memories and agents that take a text: `User: …`, `Assistant: …`, with an
 * empty line between them. A single message is its content alone. The text ends with the last message's content.
 */
export function conversationText(messages: readonly ChatMessage[]): string {
  const [only] = messages;
  if (messages.length === 1 && only !== undefined) return only.content;
  return messages
    .map(({ role, content }) => `${role[0]?.toUpperCase()}${role.slice(1)}: ${content}`)
    .join('\n\n');
}

/** Returns the last message of a user in a text that {@link conversationText} made; any other text as it is. */
export function lastTurnOf(text: string): string {
  const [before, ...turns] = text.split('\n\nUser: ');
  return /^(?:User|Assistant): /.test(before ?? '') ? (turns.at(-1) ?? text) : text;
}
