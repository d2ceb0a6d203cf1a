import { isNativeError } from 'node:util/types';
import {
  InfrastructureError,
  infrastructureMessage,
  isInfrastructureError,
} from '../../../contracts/infrastructure-error.js';
import type { Json } from '../../../contracts/json.js';
import { nothingLost } from '../../../contracts/kept-json.js';
import { asError, runAtOnce, runUserCode } from '../../../contracts/run-user-code.js';
import { wellFormed, wellFormedJson } from '../../../contracts/well-formed.js';
import { bigintToJson } from '../../../datasets/row.js';
import type { ToolFault, ToolOutcome } from './contracts.js';
import { isOfNamedPlace } from './named-places.js';

export function failed(fault: ToolFault, said: string): ToolOutcome {
  const message = wellFormed(said);
  return { ok: false, fault, message, content: JSON.stringify({ error: message }) };
}

function succeeded(value: Json): ToolOutcome {
  return { ok: true, value, content: typeof value === 'string' ? value : JSON.stringify(value) };
}

/**
 * Converts a tool's result to JSON: undefined becomes null, a large integer or one that is not finite text, bytes base64.
 * @throws TypeError for what JSON cannot hold, such as a cycle, a function or a Map.
 */
function toResult(value: unknown): Json {
  if (value === undefined) return null;
  let text: string | undefined;
  try {
    text = runAtOnce(() =>
      JSON.stringify(value, function (this: Record<string, unknown>, key, item: unknown) {
        // A Buffer is an object by now, of its own making.
        const bytes = item instanceof Uint8Array ? item : this[key];
        if (bytes instanceof Uint8Array) return Buffer.from(bytes).toString('base64');
        if (typeof item === 'bigint') return bigintToJson(item);
        if (typeof item === 'number' && !Number.isFinite(item)) return String(item);
        if (typeof item === 'function') throw new TypeError('it holds a function');
        return nothingLost(key, item);
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
 * @param call as the model wrote it, with the row, whose words tell the bundle's own services
 * @param outer aborts the tool's signal, as the timeout does
 * @throws infrastructure errors, including the timeout of a tool.
 */
export async function toolOutcome(
  call: { name: string; arguments: string; row?: unknown },
  timeoutMs: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<ToolOutcome> {
  const timer = new AbortController();
  const signal = outer === undefined ? timer.signal : AbortSignal.any([outer, timer.signal]);
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timeout = setTimeout(() => {
      reject(new InfrastructureError(`the tool ${call.name} did not answer within ${timeoutMs / 1000} s`));
      timer.abort();
    }, timeoutMs);
  });
  try {
    const answer = await Promise.race([runUserCode(() => run(signal)), late]);
    if (isNativeError(answer)) throw asError(answer);
    return succeeded(toResult(answer));
  } catch (error) {
    const { message, name } = asError(error);
    if (isInfrastructureError(error)) {
      const said = infrastructureMessage(asError(error));
      if (name !== 'InfrastructureError' && (await isOfNamedPlace(said, call)))
        return failed('tool_failed', said);
      throw error;
    }
    return failed('tool_failed', message === '' ? name : message);
  } finally {
    clearTimeout(timeout);
  }
}
