import { isMapping } from '../contracts/json.js';
import type { CallIdentity, ChatMessage, GenerateParameters } from '../contracts/language-model.js';
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
  const texts = messages.filter(({ role, content }) => role === 'system' && content !== '');
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
  try {
    const value: unknown = JSON.parse(text);
    if (isMapping(value)) return value;
  } catch {
    // Models do write broken JSON; the next turn has to show it to them nevertheless.
  }
  return { input: text };
}

/**
 * An id for a tool call whose provider gave none. The same call gets the same id in every attempt, and no other
 * call of the conversation gets it.
 */
export function toolCallId(call: CallIdentity, index: number): string {
  return `call_${call.purpose}_${call.ordinal}_${index}`;
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

export type Effort = 'low' | 'medium' | 'high';

/** A thinking budget in tokens in the words of the models that take an effort in its place. */
export function effortOf(budget: NonNullable<GenerateParameters['thinking_budget']>): Effort {
  if (budget <= 2048) return 'low';
  return budget <= 8192 ? 'medium' : 'high';
}
