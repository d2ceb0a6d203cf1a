import { isMapping } from '../contracts/json.js';
import type { MessageToolCall } from './message.js';

/** A tool call in the form for exports and templates. */
export interface NamedToolCall {
  /** Null where the model wrote none. */
  id: string | null;
  name: string;
  /** The JSON text of the arguments, as the model wrote it. */
  text: string;
  /** True where the text is a JSON object. */
  isObject: boolean;
  /** Parsed arguments; null where the text is not a JSON object, or would not be written again as it is. */
  parsed: Readonly<Record<string, unknown>> | null;
}

/** A function that a model may call, in the nested form of OpenAI's API and of Hugging Face. */
export interface NestedTool {
  type: 'function';
  function: { name: string; description?: string; parameters: Readonly<Record<string, unknown>> };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  // Some models write an empty text for a call without arguments.
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : null;
  } catch {
    return null;
  }
}

/** Maximum depth of parsed arguments; deeper ones, which no real tool has, stay text. */
const DEEPEST = 50;

/** Reports whether parsed arguments equal their text: JavaScript rounds whole numbers beyond 2^53, and 1e999 to ∞. */
function isExact(value: unknown, depth = 0): boolean {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  if (typeof value !== 'object' || value === null) return true;
  return depth < DEEPEST && Object.values(value).every((part) => isExact(part, depth + 1));
}

export function namedToolCall(call: MessageToolCall): NamedToolCall {
  const { name, arguments: given } = 'function' in call ? call.function : call;
  const id = call.id ?? null;
  if (typeof given !== 'string')
    return { id, name, text: JSON.stringify(given), isObject: true, parsed: given };
  const object = parseObject(given);
  return { id, name, text: given, isObject: object !== null, parsed: isExact(object) ? object : null };
}

/** Converts a call to the form of chat templates. Arguments that are no object, or inexact, stay text. */
export function nestedToolCall(call: MessageToolCall): MessageToolCall {
  const { id, name, text, parsed } = namedToolCall(call);
  return { ...(id === null ? {} : { id }), type: 'function', function: { name, arguments: parsed ?? text } };
}

/**
 * Converts a tool schema of a time step, flat (`name`, `description`, `parameters`) or nested, to the nested form; null
 * where it is not a function. A tool without `parameters` takes none.
 */
export function nestedTool(schema: Readonly<Record<string, unknown>>): NestedTool | null {
  const declared = isMapping(schema.function) ? schema.function : schema;
  const { name, description, parameters } = declared;
  if (typeof name !== 'string') return null;
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      parameters: isMapping(parameters) ? parameters : { type: 'object', properties: {} },
    },
  };
}
