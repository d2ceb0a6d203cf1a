/** Outcome of a program. Everything except `ok` is caused by the program; errors of the machine are thrown instead. */
export type ExecutionStatus =
  /** Exit code 0. */
  | 'ok'
  /** Any other exit code, an uncaught exception, a signal that the program sent to itself, or files that do not fit. */
  | 'error'
  /** Still running at its deadline; it was killed. */
  | 'timeout'
  /** It requested more memory than allowed, and was killed. */
  | 'out_of_memory'
  /** It wrote more output than allowed, and was killed. */
  | 'output_limit';

/** Result of a program. Text is UTF-8; invalid bytes are replaced by U+FFFD. */
export interface ExecutionResult {
  status: ExecutionStatus;
  /** At most the sandbox's output limit each; the rest is dropped. */
  stdout: string;
  stderr: string;
  /** null if a signal ended it, or it never began because its files do not fit into its folder. */
  exit_code: number | null;
  /** True if part of `stdout` or `stderr` was dropped. */
  truncated: boolean;
  /** Seconds from the program's start to its end, as measured by the sandbox. */
  seconds: number;
}

/**
 * Identity of an execution within an experiment. `trial` and `ordinal` count from 0; `ordinal` within sample and trial.
 */
export interface ExecutionIdentity {
  sample_id: string;
  trial: number;
  ordinal: number;
}

/** Row of `executions.jsonl`. */
export interface ExecutionRecord extends ExecutionIdentity, ExecutionResult {
  /** Hash of code, limits and identity; identifies the execution across crashes. */
  key: string;
  code: string;
  timeout_sec: number;
  sandbox: 'docker' | 'process';
  /** Time of the result, in ISO 8601. */
  at: string;
}
