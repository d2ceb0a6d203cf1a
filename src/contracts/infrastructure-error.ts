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

/** Yields an error and its causes, of several the first. A user's object may throw when it is read. */
function* chainOf(error: unknown): Generator<object> {
  let found = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && typeof found === 'object' && found !== null; depth += 1) {
    yield found;
    const { cause, errors } = found as { cause?: unknown; errors?: unknown };
    found = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
}

const textIn = (error: object, field: string) => {
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : '';
};

/** Reports whether a program that the code ran took too long, or read no further: that is what the program does. */
function isOfProgram(error: object, code: string): boolean {
  return textIn(error, 'syscall').startsWith('spawn') && !MACHINE_CODES.includes(code);
}

/**
 * Reports whether an error is a failure of the infrastructure: by its class, or by a system error code in it or its
 * causes.
 */
export function isInfrastructureError(error: unknown): boolean {
  try {
    for (const found of chainOf(error)) {
      if (MARK in found) return true;
      const code = textIn(found, 'code');
      if (SYSTEM_CODES.has(code) && !isOfProgram(found, code)) return true;
    }
  } catch {
    // A user's object that throws when it is read is no infrastructure error.
  }
  return false;
}

/** Returns the message of an infrastructure failure, with those of its causes where the code's author wrote none. */
export function infrastructureMessage(error: Error): string {
  if (MARK in error) return error.message;
  const messages = [...chainOf(error)].map((found) => textIn(found, 'message'));
  return [...new Set(messages)].filter((message) => message !== '').join(': ');
}
