import { LONGEST_REPLY } from '../bounds.js';

/** The part of a reply that is searched: its end, after the reasoning that a model marks as such. */
export function searchedText(reply: string): string {
  const text = reply.length > LONGEST_REPLY ? reply.slice(-LONGEST_REPLY) : reply;
  const thought = text.lastIndexOf('</think>');
  const spoken = thought < 0 ? text : text.slice(thought + '</think>'.length);
  // `\b` in a JSON string is a backspace: the reply meant `\boxed`.
  const unescaped = spoken.replaceAll('\boxed', '\\boxed').replace(/\r\n?/g, '\n');
  return unescaped.trim() === '' ? text : unescaped;
}

const FENCE = /^```[a-zA-Z]*[ \t]*\n?|\n?```\s*$/g;

/**
 * Takes off what Markdown puts around a text: code fences, emphasis, backticks, quotation and list marks. A stop after
 * them stays: `**Oslo**.` is `Oslo.`.
 */
export function stripMarkdown(text: string): string {
  let result = text.trim().replace(FENCE, '').trim();
  result = withoutEmphasis(result.replace(/^(?:>\s?|[*•]\s+|-\s+(?=[a-zA-Z]{2})|#{1,6}\s+)+/, ''));
  // Emphasis is nested a few times at most; more than that is noise, and stays.
  for (let nested = 0; nested < 5; nested++) {
    result = result
      .replace(
        /^(?:\*{1,3}|_{1,3}(?!\{)|`+)(?=[^\s*_`])|(?<=\S)(?:\*{1,3}|(?<!\\)_{1,3}|`{1,3})(?=[.!?,;:。]{0,2}$)/g,
        '',
      )
      .trim();
  }
  return result;
}

/** `**word**` inside a text. `2**3` and `2 ** 3` are powers and stay. */
function withoutEmphasis(text: string): string {
  return text
    .replace(/(?<![\w)*])\*\*(?=\S)((?:[^*\n]|\*(?!\*)){1,400}?)(?<=\S)\*\*(?![\w(*])/g, '$1')
    .replace(/(?<![\w)_\\])__(?=\S)([^_\n]{1,400}?)(?<=\S)__(?![\w(_])/g, '$1');
}
