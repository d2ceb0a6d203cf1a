import type { ExecutionResult } from '../contracts/execution.js';
import { outputBytes } from './runner-protocol.js';
import type { CallResult, ExecutionLimits, FunctionProgram } from './sandbox.js';

/** Final byte of a returned text, which proves that it is complete. It never occurs in UTF-8. */
const END = 0xff;

/**
 * Returns the maximum bytes of a result of docker/scaffold-runner/call_function.py: the output limit, and the final
 * byte.
 */
export function maximumReturnedBytes(limits: ExecutionLimits): number {
  return outputBytes(limits) + 1;
}

/** Returns the result of a call whose program ended in `execution` and wrote the result `returned`. */
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

/** Returns a result without output, with the reason on standard error. */
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
