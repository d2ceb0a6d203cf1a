const MARK = Symbol.for('reprise.infrastructure-error');

/**
 * Failure of something outside of the experiment: a server, a disk, the database engine. It is retried or reported as
 * an error; it never becomes a score or a message to a model.
 */
export class InfrastructureError extends Error {
  override readonly name = 'InfrastructureError';
  // A user's module may contain another copy of this class, so it is recognised by its mark.
  readonly [MARK] = true;
}

/** System error codes for a disk, memory or descriptors that are exhausted or fail. */
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

/**
 * Reports whether an error is a failure of the infrastructure: by its class, or by a system error code in it or its
 * causes.
 */
export function isInfrastructureError(error: unknown): boolean {
  let found = error;
  try {
    for (let depth = 0; depth < DEEPEST_CAUSE && typeof found === 'object' && found !== null; depth += 1) {
      if (MARK in found) return true;
      if ('code' in found && typeof found.code === 'string' && SYSTEM_CODES.has(found.code)) return true;
      found = 'cause' in found ? found.cause : undefined;
    }
  } catch {
    // A user's object that throws when it is read is no infrastructure error.
  }
  return false;
}
