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

/**
 * Converts a tool's result to JSON: undefined becomes null, a large integer text, bytes base64.
 * @throws TypeError for what JSON cannot hold, such as a cycle or a function.
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
 * Runs a tool and converts its result or error to an outcome.
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
    return succeeded(toResult(await Promise.race([runUserCode(() => run(signal)), late])));
  } catch (error) {
    if (isInfrastructureError(error)) throw error;
    const { message, name } = asError(error);
    return failed('tool_failed', message === '' ? name : message);
  } finally {
    clearTimeout(timeout);
  }
}
