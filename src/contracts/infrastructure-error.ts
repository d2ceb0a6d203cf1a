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
      // EPIPE alone is a program's input; that of a connection is the cause of another error.
      const isPipe = code === 'EPIPE' && found === error;
      if (SYSTEM_CODES.has(code) && !isPipe && !isOfProgram(found, code)) return true;
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

/** A place that could not be reached. */
interface FailedPlace {
  host: string;
  /** Null where the name of the host leads nowhere. */
  port: string | null;
}

/** Ends of the messages of Node.js and of undici: `connect ECONNREFUSED ::1:80`, `(attempted address: a.b:80, timeout…`. */
const REFUSED = /\bE[A-Z_]+ (\S+?)(?::(\d+))?(?: - Local.*)?$/;
const TOO_LATE = /\(attempted address(?:es)?: (\S+?)(?::(\d+))?, /;

/** Returns the place to which no connection was made; null for other failures, and for what an author marked. */
export function failedPlace(error: unknown): FailedPlace | null {
  try {
    const chain = [...chainOf(error)];
    if (chain.some((found) => MARK in found)) return null;
    const last = chain.filter((found) => SYSTEM_CODES.has(textIn(found, 'code'))).at(-1);
    if (last === undefined || MACHINE_CODES.includes(textIn(last, 'code'))) return null;
    const message = textIn(last, 'message');
    const [, host, port = null] = REFUSED.exec(message) ?? TOO_LATE.exec(message) ?? [];
    return host === undefined ? null : { host: host.toLowerCase(), port };
  } catch {
    return null;
  }
}
