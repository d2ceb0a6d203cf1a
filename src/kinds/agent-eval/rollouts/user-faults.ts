import type { ChatMessage, FinishReason, ToolCall } from '../../../contracts/language-model.js';
import type { UserFault } from '../contracts.js';
import { isToolCall } from './calls-as-text.js';
import { readUserMessage, saysAnything, visibleMessages } from './simulated-user.js';

export interface UserReply {
  text: string;
  tool_calls?: readonly ToolCall[];
  /** Absent: it ended by itself. */
  finish_reason?: FinishReason;
}

export interface UserFaultContext {
  /** The row's `sim_user_prompt`: what it tells the user to say is no fault. */
  part: string;
  /** The conversation before the message. */
  messages: readonly ChatMessage[];
  /** True if the agent has replied in this rollout. */
  agentHasReplied: boolean;
  stopToken: string;
}

/** Descriptions of the faults, for the model that made them. */
export const FAULT_SENTENCES: Record<UserFault, string> = {
  empty: 'it was empty.',
  role_swap: 'it spoke as the assistant, whose part is not yours.',
  early_stop: 'it ended the chat before the assistant could do anything about what you want.',
  cut_off: 'it was cut off at its token limit (models.user.max_output_tokens).',
};

/**
 * Finds the fault of a simulated user's message; null if there is none. A faulty message is discarded, and three of
 * them spoil the rollout, so only what a user would hardly ever write counts as a fault.
 */
export function userFault(reply: UserReply, context: UserFaultContext): UserFault | null {
  if (reply.finish_reason === 'length') return 'cut_off';
  const { text, stops } = readUserMessage(reply.text, context.stopToken);
  const { part } = context;
  if ((reply.tool_calls?.length ?? 0) > 0 || (isToolCall(text) && !isToolCall(part))) return 'role_swap';
  if (stops && !context.agentHasReplied) return 'early_stop';
  if (!saysAnything(text)) return stops ? null : 'empty';
  const agents = visibleMessages(context.messages).findLast(({ role }) => role === 'assistant')?.content;
  return speaksAsAgent(text, part) || (agents !== undefined && repeats(text, agents)) ? 'role_swap' : null;
}

const SPEAKER =
  '(?:(?:ai |customer (?:service |support )?|support |virtual )?(?:agent|assistant)|customer support|support|chatbot|bot)';
/** Name of somebody who is quoted after it, as in `Agent: Maria told me …` */
const QUOTED = '[ \\t]+(?!(?:i|you|he|she|we|they)\\b)\\w+ (?:told|promised|wrote) ';
const LABEL = String.raw`^[ \t*_#>]*(?:\[${SPEAKER}\]|<${SPEAKER}>|${SPEAKER}[*_]*[ \t]*:(?!${QUOTED}))`;
/** Label of a speaker: `Agent: …`, `**Assistant:** …`, `[Agent] …` */
const FIRST_LABEL = new RegExp(LABEL, 'i');
/** Label on a later line, followed by a sentence: a line such as `Agent: Maria` may be what a user knows. */
const LATER_LABEL = new RegExp(String.raw`${LABEL}[*_ \t]*[^\s*_]\S*[^\S\n]+(?:\S+[^\S\n]+){2}\S`, 'im');

const NUMBER = `(?:customer|user|member|passenger|booking|reservation|confirmation|order|ticket|account)(?: |-)(?:id|number|reference|code)`;
/** Phrases that only a service agent uses. */
const AGENT_PHRASES = [
  /\bhow (?:can|may|could) i (?:help|assist) you\b(?! (?:find|identify|locate|verify|look|understand|with (?:that|this|the verification)))/,
  /\b(?:is there|was there) anything else (?:that )?i (?:can|could|may) (?:help|assist|do for you)\b(?! to (?:check|verify)\b)/,
  /\bwhat (?:else )?can i (?:help|assist) you with\b/,
  /\bi(?:'d| would| will|'ll|'m| am)(?: be)? (?:more than )?(?:happy|glad|pleased) to (?:help|assist) you\b/,
  /\bi(?:'m| am) here to (?:help|assist) you\b/,
  /\bi(?:'m| am) (?:an? |your )(?:ai |virtual |digital )(?:assistant|agent)\b/,
  /\bas an ai (?:language )?(?:model|assistant)\b/,
  /\b(?:i(?:'ve| have)|i) (?:just |now |successfully |already )*(?:booked|rebooked|reserved|cancelled|canceled|refunded|processed|issued|updated|changed|confirmed) (?!my\b)(?:[^.!?\n]{1,60} )?for you\b(?! to (?:check|verify|see|know|look)\b)/,
  new RegExp(
    String.raw`\b(?:could|can|would|may|will) (?:you|i) (?:please )?(?:provide|share|have|confirm|give me|tell me)(?: me)?(?: with)? your (?:[a-z]+ )?${NUMBER}\b(?!.{0,80}\bmine\b)`,
    's',
  ),
  /^(?:(?:great|perfect|done|all set|good news)[,.!:]* )?your (?:booking|reservation|flight|order|refund|ticket|exchange|return) (?:has been|is now) (?:booked|confirmed|cancelled|canceled|processed|changed|refunded|updated|issued|reserved)\b/,
];

/** Thanks of a company to a customer. A user may thank for choosing a flight, such as HA103, or for calling for them. */
const THANKS_CUSTOMER =
  /\b[Tt]hank you for (?:contacting|calling|choosing|reaching out to|flying with) (?:us\b|our\b|customer\b|(?:the )?(?!\w*\d)[A-Z])(?![^.!?,;\n]{0,80}\b(?:for me|on my behalf|about my)\b)/;

function speaksAsAgent(text: string, part: string): boolean {
  const lines = withoutWordsOf(part, text, /[^\n]+/g);
  if (FIRST_LABEL.test(lines) || LATER_LABEL.test(lines)) return true;
  const own = withoutWordsOf(part, withoutQuotes(text).replaceAll('’', "'"), /[^.!?,;:\n]+/g);
  return THANKS_CUSTOMER.test(own) || AGENT_PHRASES.some((phrase) => phrase.test(own.toLowerCase()));
}

/** Removes the pieces, longer than a label, that stand in the user's part word for word: it may be told what to say. */
function withoutWordsOf(part: string, text: string, pieces: RegExp): string {
  const known = ` ${wordsOf(part).join(' ')} `;
  return text.replaceAll(pieces, (piece) => {
    const said = wordsOf(piece);
    return said.length > 3 && known.includes(` ${said.join(' ')} `) ? ' ' : piece;
  });
}

/** Removes quotations: a user may quote the agent. */
function withoutQuotes(text: string): string {
  return text.replaceAll(/"[^"]*"|“[^“”]*”|«[^«»]*»|^>.*$/gm, ' ').trim();
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Minimum words of the agent's message for a repetition that is not chance: as the whole message, or within it. */
const SAME_WORDS = 6;
const REPEATED_WORDS = 12;

function repeats(text: string, agents: string): boolean {
  const said = wordsOf(text).join(' ');
  const before = wordsOf(agents);
  if (before.length >= SAME_WORDS && said === before.join(' ')) return true;
  const own = ` ${wordsOf(withoutQuotes(text)).join(' ')} `;
  return before.length >= REPEATED_WORDS && own.includes(` ${before.join(' ')} `);
}
