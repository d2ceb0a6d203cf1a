import type { ChatMessage, FinishReason, ToolCall } from '../../../contracts/language-model.js';
import type { UserFault } from '../contracts.js';
import { readUserMessage, visibleMessages } from './simulated-user.js';

export interface UserReply {
  text: string;
  tool_calls?: readonly ToolCall[];
  /** Absent: it ended by itself. */
  finish_reason?: FinishReason;
}

export interface UserFaultContext {
  /** The conversation before the message. */
  messages: readonly ChatMessage[];
  /** Whether the agent has replied in this rollout. */
  agentHasReplied: boolean;
  stopToken: string;
}

/** What a fault is, for the model that made it. */
export const FAULT_SENTENCES: Record<UserFault, string> = {
  empty: 'it was empty.',
  role_swap: 'it spoke as the assistant, whose part is not yours.',
  early_stop: 'it ended the chat before the assistant could do anything about what you want.',
  cut_off: 'it was cut off at its token limit (user.lm.max_output_tokens).',
};

/**
 * What is wrong with a message of a simulated user; null where nothing is. A fault costs the message, and three of them
 * the rollout, so only what a user would hardly ever write counts as one.
 */
export function userFault(reply: UserReply, context: UserFaultContext): UserFault | null {
  if (reply.finish_reason === 'length') return 'cut_off';
  const { text, stops } = readUserMessage(reply.text, context.stopToken);
  if ((reply.tool_calls?.length ?? 0) > 0 || isToolCall(text)) return 'role_swap';
  if (stops && !context.agentHasReplied) return 'early_stop';
  if (!saysAnything(text)) return stops ? null : 'empty';
  const agents = visibleMessages(context.messages).findLast(({ role }) => role === 'assistant')?.content;
  return speaksAsAgent(text) || (agents !== undefined && repeats(text, agents)) ? 'role_swap' : null;
}

/** A question mark or an emoji says something; dots and dashes do not. */
function saysAnything(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}?]/u.test(text);
}

function isToolCall(text: string): boolean {
  if (/<\/?tool_call>|<function=|\[TOOL_CALLS\]/i.test(text)) return true;
  return (
    /"(?:name|tool|function|tool_name)"\s*:/.test(text) &&
    /"(?:arguments|parameters|args|tool_input)"\s*:\s*[{"]/.test(text)
  );
}

const SPEAKER =
  '(?:(?:ai |customer (?:service |support )?|support |virtual )?(?:agent|assistant)|customer support|support|chatbot|bot)';
/** `Agent: …`, `**Assistant:** …`, `[Agent] …` */
const LABEL = new RegExp(String.raw`^[\s*_#>]*(?:\[${SPEAKER}\]|<${SPEAKER}>|${SPEAKER}[*_]*\s*:)`, 'i');
/** Further down a line such as `Agent: Maria` may be what a user knows, so a sentence has to follow. */
const LATER_LABEL = new RegExp(
  String.raw`^[ \t*_#>]*(?:\[${SPEAKER}\]|<${SPEAKER}>|${SPEAKER}[*_]*[ \t]*:)[*_ \t]*[^\s*_]\S*[^\S\n]+(?:\S+[^\S\n]+){2}\S`,
  'im',
);

const NUMBER = `(?:customer|user|member|passenger|booking|reservation|confirmation|order|ticket|account)(?: |-)(?:id|number|reference|code)`;
/** What only somebody who serves says. */
const AGENT_PHRASES = [
  /\bhow (?:can|may|could) i (?:help|assist) you\b(?! (?:find|identify|locate|verify|look|understand|with (?:that|this|the verification)))/,
  /\b(?:is there|was there) anything else (?:that )?i (?:can|could|may) (?:help|assist|do for you)\b/,
  /\bwhat (?:else )?can i (?:help|assist) you with\b/,
  /\bi(?:'d| would| will|'ll|'m| am)(?: be)? (?:more than )?(?:happy|glad|pleased) to (?:help|assist) you\b/,
  /\bi(?:'m| am) here to (?:help|assist) you\b/,
  /\bi(?:'m| am) (?:an? |your )(?:ai |virtual |digital )(?:assistant|agent)\b/,
  /\bas an ai (?:language )?(?:model|assistant)\b/,
  /\b(?:i(?:'ve| have)|i) (?:just |now |successfully |already )*(?:booked|rebooked|reserved|cancelled|canceled|refunded|processed|issued|updated|changed|confirmed) (?:[^.!?\n]{1,60} )?for you\b/,
  new RegExp(
    String.raw`\b(?:could|can|would|may|will) (?:you|i) (?:please )?(?:provide|share|have|confirm|give me|tell me)(?: me)?(?: with)? your (?:[a-z]+ )?${NUMBER}\b`,
  ),
  /^(?:(?:great|perfect|done|all set|good news)[,.!:]* )?your (?:booking|reservation|flight|order|refund|ticket|exchange|return) (?:has been|is now) (?:booked|confirmed|cancelled|canceled|processed|changed|refunded|updated|issued|reserved)\b/,
];

/** A company thanks; a user who thanks for a choice thanks for what was chosen, such as HA103. */
const THANKS_CUSTOMER =
  /\b[Tt]hank you for (?:contacting|calling|choosing|reaching out to|flying with) (?:us\b|our\b|customer\b|(?:the )?(?!\w*\d)[A-Z])/;

function speaksAsAgent(text: string): boolean {
  if (LABEL.test(text) || LATER_LABEL.test(text)) return true;
  const own = withoutQuotes(text).replaceAll('’', "'");
  return THANKS_CUSTOMER.test(own) || AGENT_PHRASES.some((phrase) => phrase.test(own.toLowerCase()));
}

/** A user may quote what they were told. */
function withoutQuotes(text: string): string {
  return text.replaceAll(/"[^"]*"|“[^“”]*”|«[^«»]*»|^>.*$/gm, ' ').trim();
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** From so many words on nobody says the same by chance: the whole message, or another's message within it. */
const SAME_WORDS = 6;
const REPEATED_WORDS = 12;

function repeats(text: string, agents: string): boolean {
  const said = wordsOf(text).join(' ');
  const before = wordsOf(agents);
  if (before.length >= SAME_WORDS && said === before.join(' ')) return true;
  const own = ` ${wordsOf(withoutQuotes(text)).join(' ')} `;
  return before.length >= REPEATED_WORDS && own.includes(` ${before.join(' ')} `);
}
