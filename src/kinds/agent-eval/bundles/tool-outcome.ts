import { InfrastructureError, isInfrastructureError } from '../../../contracts/infrastructure-error.js';
import type { Json } from '../../../contracts/json.js';
import { asError, runUserCode } from '../../../contracts/run-user-code.js';
import { wellFormed } from '../../../contracts/well-formed.js';
import type { ToolFault, ToolOutcome } from './contracts.js';
import { toResult } from './tool-result.js';

export function failed(fault: ToolFault, said: string): ToolOutcome {
  const message = wellFormed(said);
  return { ok: false, fault, message, content: JSON.stringify({ error: message }) };
}

function succeeded(value: Json): ToolOutcome {
  return { ok: true, value, content: typeof value === 'string' ? value : JSON.stringify(value) };
}

/**
 * Runs a tool and converts its result or error to an outcome.
 * @param outer aborts the tool's signal, as the timeout does
 * @throws infrastructure errors, including the timeout of a tool.
 */
export async function outcomeOf(
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
