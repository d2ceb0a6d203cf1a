import { isNativeError } from 'node:util/types';
import { InfrastructureError, isInfrastructureError } from '../../../contracts/infrastructure-error.js';
import type { Json } from '../../../contracts/json.js';
import { asError, runAtOnce, runUserCode } from '../../../contracts/run-user-code.js';
import { wellFormed, wellFormedJson } from '../../../contracts/well-formed.js';
import { bigintToJson } from '../../../datasets/row.js';
import type { ToolFault, ToolOutcome } from './contracts.js';

export function failed(fault: ToolFault, said: string): ToolOutcome {
  const message = wellFormed(said);
  return { ok: false, fault, message, content: JSON.stringify({ error: message }) };
}

function succeeded(value: Json): ToolOutcome {
  return { ok: true, value, content: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** Classes of which JSON writes all that they hold. */
const WRITTEN = ['Array', 'BigInt', 'Boolean', 'Number', 'Object', 'String'];

/** @throws TypeError for what JSON would write as `{}`, whatever is in it, such as a promise that was not awaited. */
function assertWritten(item: object): void {
  if ('then' in item && typeof item.then === 'function') throw new TypeError('it holds a promise: await it');
  if (isNativeError(item)) throw new TypeError('it holds an Error: throw it, or answer its message');
  // Also right of what another realm made; a class of the user's own is an Object.
  const name = Object.prototype.toString.call(item).slice('[object '.length, -1);
  if (WRITTEN.includes(name) || Object.keys(item).length > 0) return;
  throw new TypeError(`it holds a ${name}: answer what is in it as an object or a list`);
}

/**
 * Converts a tool's result to JSON: undefined becomes null, a large integer text, bytes base64.
 * @throws TypeError for what JSON cannot hold, such as a cycle, a function or a Map.
 */
function toResult(value: unknown): Json {
  if (value === undefined) return null;
  let text: string | undefined;
  try {
    text = runAtOnce(() =>
      JSON.stringify(value, (_key, item: unknown) => {
        if (typeof item === 'bigint') return bigintToJson(item);
        if (item instanceof Uint8Array) return Buffer.from(item).toString('base64');
        if (typeof item === 'function') throw new TypeError('it holds a function');
        if (typeof item === 'object' && item !== null) assertWritten(item);
        return item;
      }),
    );
  } catch (error) {
    throw new TypeError(`the tool's answer is no JSON: ${(error as Error).message}`);
  }
  if (text === undefined) throw new TypeError(`the tool's answer is no JSON: it is a ${typeof value}`);
  return JSON.parse(wellFormedJson(text)) as Json;
}

/**
 * Runs a tool and converts its result or error to an outcome. An Error that it answers counts as thrown.
 * @param outer aborts the tool's signal, as the timeout does
 * @throws infrastructure errors, including the timeout of a tool.
 */
export async function toolOutcome(
  name: string,
  timeoutMs: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<ToolOutcome> {
  const timer = new AbortController();
  const signal = outer === undefined ? timer.signal : AbortSignal.any([outer, timer.signal]);
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timeout = setTimeout(() => {
      reject(new InfrastructureError(`the tool ${name} did not answer within ${timeoutMs / 1000} s`));
      timer.abort();
    }, timeoutMs);
  });
  try {
    const answer = await Promise.race([runUserCode(() => run(signal)), late]);
    if (isNativeError(answer)) throw asError(answer);
    return succeeded(toResult(answer));
  } catch (error) {
    if (isInfrastructureError(error)) throw error;
    const { message, name } = asError(error);
    return failed('tool_failed', message === '' ? name : message);
  } finally {
    clearTimeout(timeout);
  }
}
