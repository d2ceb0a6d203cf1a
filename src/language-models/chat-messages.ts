import { isMapping } from '../contracts/json.js';
import type {
  CallIdentity,
  ChatMessage,
  GenerateParameters,
  GenerateRequest,
  ToolCall,
} from '../contracts/language-model.js';
import { wellFormedJson } from '../contracts/well-formed.js';
import { LanguageModelError } from './errors.js';

/** Where an adapter says, once each, what it could not pass on as asked. */
export type Notice = (message: string) => void;

/** Wraps a listener so that it hears the same sentence once, however many calls repeat it. */
export function onceEach(notice: Notice | undefined): Notice {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    notice?.(message);
  };
}

/** The system messages as one text, for providers that take it apart from the chat. */
export function systemText(messages: readonly ChatMessage[]): string | undefined {
  const texts = messages.filter(({ role, content }) => role === 'system' && content.trim() !== '');
  return texts.length === 0 ? undefined : texts.map(({ content }) => content).join('\n\n');
}

/**
 * The name of the tool that a tool message answers.
 * @throws LanguageModelError (`bad_request`) where no earlier assistant message asked for it.
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

/** A tool call's arguments as an object; text that is no JSON object is handed on as `{input: text}`. */
export function argumentsObject(text: string): Record<string, unknown> {
  // Models write nothing at all where a tool takes nothing.
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isMapping(value)) return value;
    if (value === null) return {};
  } catch {
    // Models do write broken JSON; the next turn has to show it to them nevertheless.
  }
  return { input: text };
}

/** A tool call's arguments as JSON text of an object, as they are written where that is what they are. */
export function argumentsText(text: string): string {
  try {
    if (isMapping(JSON.parse(text))) return text;
  } catch {
    // Strict servers refuse the whole chat for it, and the model would never hear of its mistake.
  }
  return JSON.stringify(argumentsObject(text));
}

/**
 * An id for a tool call whose provider gave none. The same call gets the same id in every attempt, and no other
 * call of the conversation gets it.
 */
export function toolCallId(call: CallIdentity, index: number): string {
  return `call_${call.purpose}_${call.ordinal}_${index}`;
}

/**
 * The calls of a reply with ids that no other call of the chat has: servers begin anew at `call_0` with each reply, or
 * give all calls of one the same. Answers are told apart by id, so the others get one of ours.
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
    return { id, name: asked.name.trim(), arguments: wellFormedJson(asked.arguments) };
  });
}

/** Characters of a name that every provider takes. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A called tool's name as a provider takes it back: models make names up that none may have. */
export function sentName(name: string, tools: GenerateRequest['tools']): string {
  if (NAME.test(name) || tools?.some((tool) => tool.name === name)) return name;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/** Merges neighbours of the same role, as providers want that alternate strictly between user and model. */
export function mergeNeighbours<Role, Part>(
  turns: readonly { role: Role; parts: Part[] }[],
): { role: Role; parts: Part[] }[] {
  const merged: { role: Role; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    const last = merged.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

/** What a chat says first that begins with the model, for providers that want the user to. */
const OPENING = '(The chat begins.)';

/** The same turns, of which the first is the user's. */
export function beginningWithUser<Role extends string, Part>(
  turns: readonly { role: Role | 'user'; parts: Part[] }[],
  textPart: (text: string) => Part,
): { role: Role | 'user'; parts: Part[] }[] {
  if (turns[0] === undefined || turns[0].role === 'user') return [...turns];
  return [{ role: 'user', parts: [textPart(OPENING)] }, ...turns];
}

export type Effort = 'low' | 'medium' | 'high';

/** A thinking budget in tokens in the words of the models that take an effort in its place. */
export function effortOf(budget: NonNullable<GenerateParameters['thinking_budget']>): Effort {
  if (budget <= 2048) return 'low';
  return budget <= 8192 ? 'medium' : 'high';
}
