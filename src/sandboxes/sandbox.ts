import type { ExecutionResult } from '../contracts/execution.js';

/** A Python program: its files by relative path, and the one that is run as `__main__`. */
export interface Program {
  files: Readonly<Record<string, string>>;
  main: string;
  /** What the program finds on its standard input. Default: nothing. */
  input?: string;
}

/** What one program may use. */
export interface ExecutionLimits {
  /** Wall-clock seconds. */
  timeout_sec: number;
  /** Megabytes (1,048,576 bytes). */
  memory_mb: number;
  /** CPU cores, e.g. 1 or 0.5. */
  cpus: number;
  /** Processes and threads together. */
  pids: number;
  /** Kilobytes (1,000 bytes) of standard output, and as many of standard error. */
  output_kb: number;
  /** Megabytes (1,048,576 bytes) of the one folder that the program may write to. What it holds counts as memory. */
  tmpfs_mb: number;
}

export interface ExecutionOptions {
  limits: ExecutionLimits;
  /** Ends the program; `run` then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Runs untrusted programs. A program that fails in any way is a result; `run` rejects only where the sandbox itself
 * failed, so that an infrastructure error is never taken for the program's.
 */
export interface Sandbox {
  readonly type: 'docker' | 'process';
  /**
   * Whether programs can be run: a daemon that answers, an image that is there or can be built, an interpreter.
   * @throws SandboxError whose message says what to install or start.
   */
  prepare(): Promise<void>;
  /** @throws SandboxError where the program could not be run, or its end could not be learned. */
  run(program: Program, options: ExecutionOptions): Promise<ExecutionResult>;
  /** Ends what this process still runs. */
  close(): Promise<void>;
}

/** The sandbox failed, not the program. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';

  constructor(
    message: string,
    /** Whether the same may succeed later: a daemon that is away may come back. */
    readonly retryable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Something killed the program that is not the sandbox. One that is killed every time may do so itself. */
export class KilledError extends SandboxError {}

/** A program of which one function is called: `module.function(input)`, which answers with a text. */
export interface FunctionProgram {
  files: Readonly<Record<string, string>>;
  /** The name of the module, without `.py`. */
  module: string;
  function: string;
  input: string;
}

/** What a program asks of its language model while it runs. */
export interface ModelRequest {
  prompt: string;
  system_prompt: string | null;
}

/** The model's reply; an `error` is raised in the program as an exception with this message. */
export type ModelReply = { text: string } | { error: string };

/** What is left to a program; null: no limit. */
export interface ProgramResources {
  calls: number | null;
  usd: number | null;
}

export interface CallOptions extends ExecutionOptions {
  /**
   * Answers the program's requests; several may be open at once. Where it rejects, the program is ended and `call`
   * rejects with the same reason. null: the program has no model.
   */
  respond: ((request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>) | null;
  /** What `resources()` in the program answers with, beside its time; asked anew each time. */
  resources: () => ProgramResources;
}

/** What came of a call. `status` is `ok` only where the function returned a text. */
export interface CallResult extends ExecutionResult {
  /** What the function returned; null where it did not return a text. */
  output: string | null;
}

/** A sandbox that can call a function of a program, and be asked by it. */
export interface FunctionSandbox extends Sandbox {
  /** @throws SandboxError as `run` does, and whatever `respond` rejected with. */
  call(program: FunctionProgram, options: CallOptions): Promise<CallResult>;
}
