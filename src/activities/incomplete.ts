import type { ExperimentMetrics } from '../contracts/results.js';
import { isRetryableKind } from '../language-models/errors.js';

/** Error types, beside those of providers, of what fails outside of an experiment. */
const OUTSIDE = ['InfrastructureError', 'SandboxError', 'StorageError', 'WorkerCrash', 'reply_too_long'];

/** Whether a row with an error of this type may come out well when it is tried again. */
export function isOutsideError(type: string): boolean {
  return isRetryableKind(type) || OUTSIDE.includes(type);
}

/** What came of the rows that were planned. */
export interface Recorded {
  planned: number;
  /** All that left anything. */
  recorded: number;
  /** Those with an error, by its type. */
  errors: Readonly<Record<string, number>>;
}

/**
 * The metrics of an experiment whose work has been gone through: it is `incomplete` where rows are missing because
 * something outside of it failed, or because nothing of them is there. Those are asked again by the command that
 * started it; errors that would only come again are a part of its result.
 * @param what a row is: `sample`, for one
 * @param goesOn how the experiment goes on with them; empty where nothing of it is kept.
 */
export function orIncomplete<Of extends Pick<ExperimentMetrics, 'status' | 'status_message'>>(
  metrics: Of,
  { planned, recorded, errors }: Recorded,
  what: string,
  goesOn = ': the same command goes on with what is missing',
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
    status_message: `${missing} missing (${types})${goesOn}`,
  };
}
