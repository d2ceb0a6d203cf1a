const MARK = Symbol.for('reprise.infrastructure-error');

/**
 * Something outside of the experiment failed: a server, a disk, the database engine. Whoever sees it tries again or
 * reports an error; nobody makes a score or a message to a model of it.
 */
export class InfrastructureError extends Error {
  override readonly name = 'InfrastructureError';
  // A user's module may hold another copy of this class, so it is known by its mark.
  readonly [MARK] = true;
}

/** The system's codes where a disk, or the machine's memory or descriptors, do not suffice or fail. */
export const MACHINE_CODES: readonly string[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM'];

const SYSTEM_CODES = new Set([
  ...MACHINE_CODES,
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);
// Node wraps a failed connection once or twice (`TypeError: fetch failed`).
const DEEPEST_CAUSE = 5;

/** Whether an error says that the infrastructure failed: by its class, or by the system's code in it or its causes. */
export function isInfrastructureError(error: unknown): boolean {
  let found = error;
  try {
    for (let depth = 0; depth < DEEPEST_CAUSE && typeof found === 'object' && found !== null; depth += 1) {
      if (MARK in found) return true;
      if ('code' in found && typeof found.code === 'string' && SYSTEM_CODES.has(found.code)) return true;
      found = 'cause' in found ? found.cause : undefined;
    }
  } catch {
    // A user's object that throws when it is looked at is none of ours.
  }
  return false;
}
