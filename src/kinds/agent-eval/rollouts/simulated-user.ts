import type { ChatMessage } from '../../../contracts/language-model.js';
import { canBeActedOn } from './last-words.js';

/** Text with which a simulated user, or a person in its place, ends the conversation. */
export const DEFAULT_STOP_TOKEN = '###STOP###';

/** A user's message without the stop token, and whether it had one. */
export interface SimulatedMessage {
  text: string;
  stops: boolean;
}

const RULES = (
  stopToken: string,
) => `You play the user in a chat with an assistant. Who you are and what you want:

<part>
PART
</part>

How to play it:
- You are the user in every message, never the assistant. Write what the user would type, without a label or a comment of yours.
- One message at a time, short, as people write in a chat. Do not tell everything at once: say what is asked for or what comes next.
- The text above is all that you know. What it does not say, you do not know: never make up a name, a number, a date or a preference, and say that you do not have it.
- The assistant does its work without you. Do not offer it help, do not guess at its systems, and do not carry out its steps.
- Agreeing to something is not the end: wait until the assistant says that it is done.
- When everything that you want is done, or it is clear that it cannot be done, write ${stopToken}, alone or as the end of your last message. Never write it before.`;

const OPENING = 'The chat is open, and you write first.';

/** Place between a word and a sign of the stop token, where models write a space: `### STOP ###`. */
const JOINT = /(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}\s])|(?<=[^\p{L}\p{N}\s])(?=[\p{L}\p{N}])/u;

/** Stop token that could be a word of the user's own, such as `TERMINATE`. */
const WORDS = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}\s'’-]*$/u;

/** Returns the patterns of a stop token: one with signs counts anywhere; words as a message of their own, or as written. */
function patternsOf(stopToken: string): RegExp[] {
  const words = stopToken.trim();
  if (WORDS.test(words)) {
    const written = `[*_\`"'#\\p{Ps}\\p{Pi}<]{0,3}[${words[0]}${words[0]?.toUpperCase()}]${words.slice(1)}`;
    const other = '[^\\p{L}\\p{N}?？؟]';
    return [
      new RegExp(`^${other}*${words}${other}*$`, 'iu'),
      new RegExp(
        `^[ \\t]*${written}[^\\p{L}\\p{N}?？؟\\n]*$|(?<![^])${written}(?: ?[.,:;!–—]| - )${other}*`,
        'gmu',
      ),
      new RegExp(`(?<![\\p{Lu}\\p{Ll}\\p{M}\\p{N}]['’-]?)(?:${written}${other}*){1,3}(?![^])`, 'gu'),
    ];
  }
  const token = stopToken.split(JOINT).map(escaped).join('[ \\t]?');
  return [new RegExp(`[*_\`"']{0,3}${token}[*_\`"'.]{0,4}`, 'gi')];
}

/** Removes the stop token, with emphasis or quotes around it, from a user's message. */
export function readUserMessage(said: string, stopToken: string): SimulatedMessage {
  const parts = patternsOf(stopToken).reduce(
    (pieces, pattern) => pieces.flatMap((piece) => piece.split(pattern)),
    [said.trim()],
  );
  const text = parts.join('').trim();
  const stops = parts.length > 1;
  return { text: stops && !saysAnything(text) ? '' : text, stops };
}

/** Reports whether a text has content: a question mark or an emoji is content, dots and dashes are not. */
export function saysAnything(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}?]/u.test(text);
}

/**
 * Determines what a user's message does: the conversation continues, or ends. If a message with the stop token says
 * more than thanks and goodbye, or the agent has asked for something, the agent can still act on it.
 * @param messages the conversation before it
 */
export function userMove(
  { text, stops }: SimulatedMessage,
  messages: readonly ChatMessage[],
): 'said' | 'answered_and_left' | 'stopped' {
  if (!stops) return 'said';
  if (text === '') return 'stopped';
  const last = visibleMessages(messages).at(-1);
  const agents = last?.role === 'assistant' ? last.content : '';
  return canBeActedOn(text, agents) ? 'answered_and_left' : 'stopped';
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Returns the messages that a user can see, without instructions and tools. */
export function visibleMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages
    .filter(({ role, content }) => (role === 'user' || role === 'assistant') && content.trim() !== '')
    .map(({ role, content }) => ({ role, content }));
}

/**
 * Builds the prompt for a simulated user's next message: its part, our rules, and the conversation with the roles
 * exchanged.
 * @param part the row's `sim_user_prompt`
 * @param messages the conversation so far; instructions, tool calls and their results are left out.
 * @param faults those of the earlier attempts, as sentences.
 */
export function simulatedUserPrompt(
  part: string,
  messages: readonly ChatMessage[],
  { stopToken, faults = [] }: { stopToken: string; faults?: readonly string[] },
): ChatMessage[] {
  const rules = RULES(stopToken).replace('PART', () => part.trim());
  const notes = faults.map(
    (fault) => `\n\nYour last try could not be used: ${fault} Write the user's message.`,
  );
  const seen = withRolesExchanged(visibleMessages(messages));
  const opened: ChatMessage[] =
    seen[0]?.role === 'user' ? seen : [{ role: 'user', content: OPENING }, ...seen];
  return [{ role: 'system', content: rules + notes.join('') }, ...opened];
}

/** Exchanges the roles. Adjacent messages of one role become one message: those between them are hidden. */
function withRolesExchanged(messages: readonly ChatMessage[]): ChatMessage[] {
  const exchanged: ChatMessage[] = [];
  for (const { role, content } of messages) {
    const swapped = role === 'user' ? 'assistant' : 'user';
    const last = exchanged.at(-1);
    if (last?.role === swapped) last.content += `\n\n${content}`;
    else exchanged.push({ role: swapped, content });
  }
  return exchanged;
}
