import { createHash } from 'node:crypto';
import { isMapping, parseExactJson } from '../contracts/json.js';
import type {
  CallIdentity,
  ChatMessage,
  GenerateParameters,
  GenerateRequest,
  ToolCall,
} from '../contracts/language-model.js';
import { wellFormedJson } from '../contracts/well-formed.js';
import { LanguageModelError } from './errors.js';
import { MARK, unmarkIntegers } from './exact-integers.js';

/** Listener of an adapter's warnings about parameters that are not sent as requested. */
export type Notify = (message: string) => void;

/** Wraps a listener so that it gets the same sentence only once, however many calls repeat it. */
export function onceEach(notify: Notify | undefined): Notify {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    notify?.(message);
  };
}

/** Joins the system messages, for providers that expect them apart from the chat. */
export function systemText(messages: readonly ChatMessage[]): string | undefined {
  const texts = messages.filter(({ role, content }) => role === 'system' && content.trim() !== '');
  return texts.length === 0 ? undefined : texts.map(({ content }) => content).join('\n\n');
}

/** Returns the images of a message with their contents. */
export function imagesOf(
  { images = [] }: ChatMessage,
  contents: GenerateRequest['images'],
): { media_type: string; base64: string }[] {
  return images.map(({ key, media_type }) => ({ media_type, base64: contents?.[key] ?? '' }));
}

/**
 * Returns the name of the tool that a tool message answers.
 * @throws LanguageModelError (`bad_request`) if no earlier assistant message called it.
 */
export function answeredTool(messages: readonly ChatMessage[], index: number, provider: string): string {
  const id = messages[index]?.tool_call_id;
  for (let earlier = index - 1; earlier >= 0; earlier--) {
    const call = messages[earlier]?.tool_calls?.find((asked) => asked.id === id);
    if (call !== undefined) return call.name;
  }
  throw new LanguageModelError(
    'bad_request',
    `message ${index + 1} answers the tool call ${JSON.stringify(id ?? null)}, which no earlier message asked for`,
    { provider },
  );
}

/** Parses a tool call's arguments, with marked integers; text that is no JSON object becomes `{input: text}`. */
export function argumentsObject(text: string): Record<string, unknown> {
  // Models write nothing if a tool has no parameters.
  if (text.trim() === '') return {};
  try {
    const value: unknown = parseExactJson(text, MARK);
    if (isMapping(value)) return value;
    if (value === null) return {};
  } catch {
    // Models sometimes write broken JSON; the next turn has to show it to them nevertheless.
  }
  return { input: text };
}

/**
 * Returns the arguments that a provider sends as an object, as JSON text. Those of a call that a limit cut off are
 * whatever had come; their text is left without its end, so that the call is not made and the model is told.
 */
export function receivedArguments(input: unknown, isCutOff: boolean): string {
  const text = unmarkIntegers(JSON.stringify(input ?? {}));
  return isCutOff ? text.replace(/\}$/, '') : text;
}

/** Returns a tool call's arguments as the JSON text of an object, unchanged if they are one. */
export function argumentsText(text: string): string {
  try {
    if (isMapping(JSON.parse(text))) return text;
  } catch {
    // Strict servers would refuse the whole chat, and the model would never learn of its mistake.
  }
  return JSON.stringify(argumentsObject(text));
}

/**
 * Creates an id for a tool call whose provider gave none. It is the same in every attempt, and unique in the
 * conversation.
 */
export function toolCallId(call: CallIdentity, index: number): string {
  return `call_${call.purpose}_${call.ordinal}_${index}`;
}

/**
 * Returns the calls of a reply with ids that are unique in the chat. Servers may restart at `call_0` with each reply,
 * or give all calls of one the same id; since tool results are assigned by id, the duplicates get new ones.
 */
export function readableCalls(
  calls: readonly ToolCall[],
  { messages, call }: Pick<GenerateRequest, 'messages' | 'call'>,
): ToolCall[] {
  const taken = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
  return calls.map((asked, index) => {
    let id = asked.id === '' || taken.has(asked.id) ? toolCallId(call, index) : asked.id;
    while (taken.has(id)) id += '_';
    taken.add(id);
    // Servers leave marks of a channel in names that gpt-oss writes: `look<|channel|>commentary`.
    const name = asked.name.replace(/<\|.*/s, '').trim();
    return { id, name, arguments: wellFormedJson(asked.arguments) };
  });
}

/**
 * Documented stand-in for the signature of a call that Gemini 3 or a later one has not made itself; without any, it refuses
 * the chat: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const ANY_SIGNATURE = 'skip_thought_signature_validator';

/** Ids of tool calls that Anthropic's API and Bedrock take, and those that Mistral's takes. */
export const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/;
export const SHORT_ID = /^[A-Za-z0-9]{9}$/;

/** Returns the id of a tool call in a form that the provider takes: another one is always replaced by the same hash. */
export function sentId(id: string, taken: RegExp): string {
  if (taken.test(id)) return id;
  const letters = createHash('sha256')
    .update(id)
    .digest('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '');
  return letters.slice(0, 9);
}

/** Names that every provider accepts. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns a called tool's name in a form that the provider accepts: models sometimes invent invalid names. */
export function sentName(name: string, tools: GenerateRequest['tools']): string {
  if (NAME.test(name) || tools?.some((tool) => tool.name === name)) return name;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/** First user message of a chat that begins with the model, for providers that require one. */
const OPENING = '(The chat begins.)';

/** Turn of a chat as a provider takes it. */
interface Turn<Model extends string, Part> {
  role: Model | 'user';
  parts: Part[];
}

/**
 * Converts a chat without its system messages to turns of user and model that alternate and begin with the user's, for
 * providers that require it. Tool results belong to the user's turns.
 * @param model the provider's name for the model's role
 * @param partsOf returns the parts of the message at an index; one without any is left out
 */
export function alternating<Model extends string, Part>(
  messages: readonly ChatMessage[],
  model: Model,
  { partsOf, textPart }: { partsOf: (index: number) => Part[]; textPart: (text: string) => Part },
): Turn<Model, Part>[] {
  const turns: Turn<Model, Part>[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue;
    const [role, parts] = [message.role === 'assistant' ? model : ('user' as const), partsOf(index)];
    const last = turns.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  }
  const isBegun = turns[0] === undefined || turns[0].role === 'user';
  return isBegun ? turns : [{ role: 'user', parts: [textPart(OPENING)] }, ...turns];
}

/**
 * Returns the blocks of a reply as its API gave them, since it refuses changed thoughts; undefined if there are none.
 * @param calls take the places of those in the reply.
 */
export function asBlocks<Block>(
  given: unknown,
  calls: readonly Block[],
  isCall: (block: Record<string, unknown>) => boolean,
  toBlock: (block: Record<string, unknown>) => Block,
): Block[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const open = [...calls];
  return given.filter(isMapping).flatMap((block) => (isCall(block) ? open.splice(0, 1) : [toBlock(block)]));
}

/** Converts a thinking budget in tokens to an effort, for models without a budget. */
export function effortOf(
  budget: NonNullable<GenerateParameters['thinking_budget']>,
): 'low' | 'medium' | 'high' {
  if (budget <= 2048) return 'low';
  return budget <= 8192 ? 'medium' : 'high';
}
