import type { ExecutionStatus } from '../../../contracts/execution.js';

const ENDINGS: Record<Exclude<ExecutionStatus, 'ok'>, string> = {
  error: 'The run failed.',
  timeout: 'The run was stopped: it was still going at its time limit.',
  out_of_memory: 'The run was stopped: it asked for more memory than it may have.',
  output_limit: 'The run was stopped: it wrote more than it may.',
};

/** What there is to say of a run. */
export interface LoggedRun {
  /** Everything but `ok` is the scaffold's own failure. */
  status: ExecutionStatus;
  stderr: string;
  /** null where a signal ended it. */
  exit_code: number | null;
}

/**
 * What a run logged, with how it ended where that was not well. Times are left out: the log goes into a prompt, and the
 * same experiment has to ask the same questions again.
 */
export function executionLog({ status, stderr, exit_code }: LoggedRun): string {
  if (status === 'ok') return stderr;
  const code = status === 'error' && exit_code !== null ? ` Exit code ${exit_code}.` : '';
  const ending = `${ENDINGS[status]}${code}`;
  return stderr.trim() === '' ? ending : `${stderr.trimEnd()}\n${ending}`;
}
