import type { ExecutionResult } from '../contracts/execution.js';
import { outputBytes } from './runner-protocol.js';
import type { CallResult, ExecutionLimits, FunctionProgram } from './sandbox.js';

/** Ends what a function returned, so that a part of it is never taken for the whole. No UTF-8 holds this byte. */
const END = 0xff;

/** The most that docker/scaffold-runner/call_function.py may write of a result: the output limit, and its end. */
export function maximumReturnedBytes(limits: ExecutionLimits): number {
  return outputBytes(limits) + 1;
}

/** The result of a call whose program ended in `execution` and wrote `returned` to where results go. */
export function callResult(
  program: FunctionProgram,
  execution: ExecutionResult,
  returned: Uint8Array,
  limits: ExecutionLimits,
): CallResult {
  const name = `${program.module}.${program.function}`;
  if (execution.status === 'output_limit' && !execution.truncated) {
    return without(execution, `${name} returned more than ${outputBytes(limits)} bytes`);
  }
  if (execution.status !== 'ok') return { ...execution, output: null };
  const output = decode(returned);
  if (output !== null) return { ...execution, output };
  return without({ ...execution, status: 'error' }, `the program ended before ${name} returned`);
}

/** The reason stands on standard error, where the program had no occasion to write it. */
function without(execution: ExecutionResult, reason: string): CallResult {
  const { stderr } = execution;
  const separator = stderr === '' || stderr.endsWith('\n') ? '' : '\n';
  return { ...execution, stderr: `${stderr}${separator}${reason}\n`, output: null };
}

function decode(returned: Uint8Array): string | null {
  if (returned.at(-1) !== END) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(returned.subarray(0, -1));
  } catch {
    return null;
  }
}
