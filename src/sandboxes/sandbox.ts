import type { ExecutionResult } from '../contracts/execution.js';

/** Python program: its files by relative path, and the one that is run as `__main__`. */
export interface Program {
  files: Readonly<Record<string, string>>;
  main: string;
  /** Standard input. Default: nothing. */
  input?: string;
}

/** Limits of one program. */
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
  /** Megabytes (1,048,576 bytes) of the only folder that the program may write to. Its content counts as memory. */
  tmpfs_mb: number;
}

export interface ExecutionOptions {
  limits: ExecutionLimits;
  /** Signal that ends the program; `run` then rejects with its reason. */
  signal?: AbortSignal;
}

/**
 * Environment that runs untrusted programs. A program that fails in any way is a result; `run` rejects only if the
 * sandbox itself failed, so that an infrastructure error is never taken for the program's.
 */
export interface Sandbox {
  readonly type: 'docker' | 'process';
  /**
   * Checks that programs can be run: the daemon answers, the image exists or can be built, the interpreter is
   * installed.
   * @throws SandboxError whose message says what to install or start.
   */
  prepare(): Promise<void>;
  /** Runs a program. @throws SandboxError if it could not be run, or its end is unknown. */
  run(program: Program, options: ExecutionOptions): Promise<ExecutionResult>;
  /** Ends the programs that this process still runs. */
  close(): Promise<void>;
}

/** Failure of the sandbox, not of the program. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';

  constructor(
    message: string,
    /** True if the same may succeed later: an unreachable daemon may be reachable again. */
    readonly retryable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Error of a program that was killed, but not by the sandbox. A program that is killed every time may do so itself. */
export class KilledError extends SandboxError {}

/** Program whose function `module.function(input)` is called, which returns a text. */
export interface FunctionProgram {
  files: Readonly<Record<string, string>>;
  /** Name of the module, without `.py`. */
  module: string;
  function: string;
  input: string;
}

/** Request of a running program to its language model. */
export interface ModelRequest {
  prompt: string;
  system_prompt: string | null;
}

/** Reply of the model; an `error` is raised in the program as an exception with this message. */
export type ModelReply = { text: string } | { error: string };

/** Remaining budget of a program; null: no limit. */
export interface ProgramResources {
  calls: number | null;
  usd: number | null;
}

export interface FunctionCallOptions extends ExecutionOptions {
  /**
   * Answers the program's requests, several of which may be in flight. If it rejects, the program is ended and `call`
   * rejects with the same reason. null: the program has no model.
   */
  respond: ((request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>) | null;
  /** Returns the result of `resources()` in the program, without its time; called each time. */
  resources: () => ProgramResources;
}

/** Result of a call. `status` is `ok` only if the function returned a text. */
export interface CallResult extends ExecutionResult {
  /** Text that the function returned; null if it returned none. */
  output: string | null;
}

/** Sandbox that can call a function of a program, and answer its requests. */
export interface FunctionSandbox extends Sandbox {
  /** Calls a function. @throws SandboxError as `run` does, and whatever `respond` rejected with. */
  call(program: FunctionProgram, options: FunctionCallOptions): Promise<CallResult>;
}
