import type { Json } from '../../../contracts/json.js';
import { runAtOnce } from '../../../contracts/run-user-code.js';
import { wellFormedJson } from '../../../contracts/well-formed.js';
import { bigintToJson } from '../../../datasets/row.js';

/**
 * Converts a tool's result to JSON: undefined becomes null, a large integer text, bytes base64.
 * @throws TypeError for what JSON cannot hold, such as a cycle or a function.
 */
export function toResult(value: unknown): Json {
  if (value === undefined) return null;
  let text: string | undefined;
  try {
    text = runAtOnce(() =>
      JSON.stringify(value, (_key, item: unknown) => {
        if (typeof item === 'bigint') return bigintToJson(item);
        if (item instanceof Uint8Array) return Buffer.from(item).toString('base64');
        if (typeof item === 'function') throw new TypeError('it holds a function');
        return item;
      }),
    );
  } catch (error) {
    throw new TypeError(`the tool's answer is no JSON: ${(error as Error).message}`);
  }
  if (text === undefined) throw new TypeError(`the tool's answer is no JSON: it is a ${typeof value}`);
  return JSON.parse(wellFormedJson(text)) as Json;
}
