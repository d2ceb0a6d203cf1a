import { isDead, processIdentity } from '../storage/process-identity.js';

/** Label of every container of the sandbox. */
export const LABEL = 'reprise';
export const LABEL_VALUE = 'scaffold-runner';
export const OWNER_LABEL = 'reprise.owner';
/** Label with the deadline of the program and its answer, in seconds since 1970 by the worker's clock. */
export const DEADLINE_LABEL = 'reprise.deadline';

/** Maximum difference between the clocks of machines that share a daemon. */
const MARGIN_SEC = 120;

/** Returns this process's identity for a container's label. */
export function ownerLabel(): string {
  return processIdentity();
}

/**
 * Reports whether a container with these labels is abandoned: its deadline is long past, or the process that started
 * it, on this host, is dead.
 */
export function isOrphan(labels: Readonly<Record<string, string>>, nowSec = Date.now() / 1000): boolean {
  const deadline = Number(labels[DEADLINE_LABEL] ?? Number.NaN);
  if (!(nowSec < deadline + MARGIN_SEC)) return true;
  return isDead(labels[OWNER_LABEL] ?? '') === true;
}
