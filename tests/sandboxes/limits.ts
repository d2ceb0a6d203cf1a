import type { ExecutionLimits, Program } from '../../src/sandboxes/sandbox.js';

/** Small enough that a program meets each of them soon. */
export const LIMITS: ExecutionLimits = {
  timeout_sec: 2,
  memory_mb: 128,
  cpus: 1,
  pids: 64,
  output_kb: 64,
  tmpfs_mb: 16,
};

/** Time for what should end by itself, on a busy machine too. */
export const PATIENT: ExecutionLimits = { ...LIMITS, timeout_sec: 20 };

export function program(code: string, more: Partial<Program> = {}): Program {
  return { files: { 'main.py': code }, main: 'main.py', ...more };
}

/** Keeps this thread from doing anything, as a long computation would. */
export function blockEventLoop(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
