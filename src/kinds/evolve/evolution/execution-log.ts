import type { ExecutionStatus } from '../../../contracts/execution.js';

const ENDINGS: Record<Exclude<ExecutionStatus, 'ok'>, string> = {
  error: 'The run failed.',
  timeout: 'The run was stopped: it was still going at its time limit.',
  out_of_memory: 'The run was stopped: it asked for more memory than it may have.',
  output_limit: 'The run was stopped: it wrote more than it may.',
};

/** Parts of a run that its log shows. */
export interface LoggedRun {
  /** Every status but `ok` is the scaffold's own failure. */
  status: ExecutionStatus;
  stderr: string;
  /** null where a signal ended it. */
  exit_code: number | null;
}

/**
 * Returns what a run logged, and how it ended unless it ended well. Times are left out: the log goes into a prompt, and
 * the same experiment has to send the same prompts again.
 */
export function executionLog({ status, stderr, exit_code }: LoggedRun): string {
  if (status === 'ok') return stderr;
  const code = status === 'error' && exit_code !== null ? ` Exit code ${exit_code}.` : '';
  const ending = `${ENDINGS[status]}${code}`;
  return stderr.trim() === '' ? ending : `${stderr.trimEnd()}\n${ending}`;
}
