import type { ExperimentMetrics } from '../contracts/results.js';
import { isRetryableKind } from '../language-models/errors.js';

/** Error types, besides those of providers, of failures outside of an experiment. */
const OUTSIDE = ['InfrastructureError', 'SandboxError', 'StorageError', 'WorkerCrash', 'reply_too_long'];

/** Reports whether a row with an error of this type may succeed when it is retried. */
export function isOutsideError(type: string): boolean {
  return isRetryableKind(type) || OUTSIDE.includes(type);
}

/** Counts of planned and recorded rows. */
export interface Recorded {
  planned: number;
  /** Rows with a record. */
  recorded: number;
  /** Rows with an error, by its type. */
  errors: Readonly<Record<string, number>>;
}

/**
 * Returns the metrics of an experiment that has ended: `incomplete` if rows are missing because of an outside failure
 * or because they have no record. The command that started it retries those rows; errors that would only occur again
 * are part of its result.
 * @param what a row is, such as `sample`
 * @param continues how the experiment continues with them; empty if nothing of it is kept.
 */
export function orIncomplete<Of extends Pick<ExperimentMetrics, 'status' | 'status_message'>>(
  metrics: Of,
  { planned, recorded, errors }: Recorded,
  what: string,
  continues = ': the same command continues with what is missing',
): Of {
  const missingBy: [string, number][] = Object.entries(errors).filter(([type]) => isOutsideError(type));
  if (planned > recorded) missingBy.push(['without a record', planned - recorded]);
  if (metrics.status !== 'done' || missingBy.length === 0) return metrics;
  const count = missingBy.reduce((sum, [, number]) => sum + number, 0);
  const types = missingBy.map(([type, number]) => `${number} ${type}`).join(', ');
  const missing = count === 1 ? `1 ${what} is` : `${count} ${what}s are`;
  return {
    ...metrics,
    status: 'incomplete',
    status_message: `${missing} missing (${types})${continues}`,
  };
}
