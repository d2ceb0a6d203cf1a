/** How a program ended. Everything but `ok` is the program's own doing; what is the machine's is thrown instead. */
export type ExecutionStatus =
  /** Exit code 0. */
  | 'ok'
  /** Any other exit code, an uncaught exception, a signal that the program sent to itself, or files that do not fit. */
  | 'error'
  /** Still running at its deadline; it was killed. */
  | 'timeout'
  /** It asked for more memory than it may have, and was killed. */
  | 'out_of_memory'
  /** It wrote more than it may, and was killed. */
  | 'output_limit';

/** What a program did. Text is UTF-8; bytes that are none stand as U+FFFD. */
export interface ExecutionResult {
  status: ExecutionStatus;
  /** At most the sandbox's output limit each; what is beyond is dropped. */
  stdout: string;
  stderr: string;
  /** null where a signal ended it, or it never began because its files do not fit into its folder. */
  exit_code: number | null;
  /** Whether something of `stdout` or `stderr` was dropped. */
  truncated: boolean;
  /** Seconds from the program's start to its end, as the sandbox measured them. */
  seconds: number;
}

/** Names one execution within an experiment. `trial` and `ordinal` count from 0; `ordinal` within sample and trial. */
export interface ExecutionIdentity {
  sample_id: string;
  trial: number;
  ordinal: number;
}

/** A row of `executions.jsonl`. */
export interface ExecutionRecord extends ExecutionIdentity, ExecutionResult {
  /** Hash of code, limits and identity; names the execution across crashes. */
  key: string;
  code: string;
  timeout_sec: number;
  sandbox: 'docker' | 'process';
  /** ISO 8601, when the result arrived. */
  at: string;
}
