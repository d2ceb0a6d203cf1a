import { isDead, processIdentity } from '../storage/process-identity.js';

/** Marks every container of the sandbox. */
export const LABEL = 'reprise';
export const LABEL_VALUE = 'scaffold-runner';
export const OWNER_LABEL = 'reprise.owner';
/** Seconds since 1970 by the worker's clock: until then its program, and its answer, are waited for. */
export const DEADLINE_LABEL = 'reprise.deadline';

/** Clocks of machines that share a daemon may differ by this much. */
const MARGIN_SEC = 120;

/** This process as a container's label names it. */
export function ownerLabel(): string {
  return processIdentity();
}

/**
 * Whether nobody waits for a container with these labels any more: its time is long over, or the process that started
 * it, on this host, is dead.
 */
export function isOrphan(labels: Readonly<Record<string, string>>, nowSec = Date.now() / 1000): boolean {
  const deadline = Number(labels[DEADLINE_LABEL] ?? Number.NaN);
  if (!(nowSec < deadline + MARGIN_SEC)) return true;
  return isDead(labels[OWNER_LABEL] ?? '') === true;
}
