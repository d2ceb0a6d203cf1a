import { isRounded } from '../contracts/json.js';

/*
 * Whole numbers beyond 2^53 in the arguments of tool calls, such as order ids. Vendors' clients read and write bodies
 * with numbers of JavaScript, which would round them to other ids; marked ones pass through as texts.
 */

/** Character of no script, before and after the digits. */
export const MARK = '\ue0d1';
const MARKED = new RegExp(`"${MARK}(-?\\d+)${MARK}"`, 'g');
/** Beginnings of arguments that are an object, other strings, other brackets and numbers. */
const TOKENS = /"(?:input|args|arguments)"\s*:\s*\{|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}]|-?\d[\d.eE+-]*/g;

/** Marks the numbers in the arguments within a body, which is valid JSON. */
export function markIntegers(json: string): string {
  let open = 0;
  return json.replace(TOKENS, (token) => {
    if (token.endsWith('{')) open += open > 0 || token !== '{' ? 1 : 0;
    else if (token === '}') open = Math.max(open - 1, 0);
    else if (open > 0 && isRounded(token)) return `"${MARK}${token}${MARK}"`;
    return token;
  });
}

/** Writes marked numbers as numbers. */
export function unmarkIntegers(json: string): string {
  return json.includes(MARK) ? json.replace(MARKED, '$1') : json;
}
