import { isMapping } from '../contracts/json.js';

/** Content of a reply, split into said text and thoughts. */
export interface SaidAndThought {
  said: string;
  thought: string;
}

/**
 * Fields of a part or message that may hold thoughts: DeepSeek's, OpenRouter's, Mistral's, Gemini's through gateways.
 */
const OF_THOUGHT = ['reasoning_content', 'reasoning', 'thinking', 'summary', 'text', 'content'];
const THOUGHT_TYPE = /think|thought|reason/i;

/** Returns the text of nested thoughts; encrypted ones have none. */
export function thoughtIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(thoughtIn).join('');
  if (!isMapping(value)) return '';
  for (const field of OF_THOUGHT) {
    const text = thoughtIn(value[field]);
    if (text !== '') return text;
  }
  return '';
}

/**
 * Splits a reply's content: a text, a list of parts, or a single part. Parts are texts or objects with one. Parts of an
 * unknown kind are ignored, because the rest of the reply is paid for.
 */
export function splitContent(content: unknown): SaidAndThought {
  if (typeof content === 'string') return { said: content, thought: '' };
  if (typeof content === 'number' || typeof content === 'boolean')
    return { said: String(content), thought: '' };
  if (Array.isArray(content)) {
    const parts = content.map(splitContent);
    return {
      said: parts.map(({ said }) => said).join(''),
      thought: parts.map(({ thought }) => thought).join(''),
    };
  }
  if (!isMapping(content)) return { said: '', thought: '' };
  const { type, text, thought } = content;
  if (thought === true || (typeof type === 'string' && THOUGHT_TYPE.test(type))) {
    return { said: '', thought: thoughtIn(content) };
  }
  return { said: typeof text === 'string' ? text : '', thought: '' };
}
