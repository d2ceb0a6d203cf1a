import { SandboxError } from './sandbox.js';

/** Error codes of connections that cannot be established, or that break. */
const UNREACHABLE = new Set([
  ...['ENOENT', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  ...['ECONNRESET', 'EPIPE'],
]);
/** HTTP statuses of calls that will fail at every attempt. */
const REFUSED = new Set([400, 401, 403]);
const FORBIDDEN = new Set(['EACCES', 'EPERM']);

const WITHOUT_DOCKER =
  'Without Docker there is `sandbox: process`: it runs the code as your user on this machine, with your files and ' +
  'your network, so it is for code that you trust only.';

/** Reports whether the daemon answered a call with this HTTP status. */
export function hasStatus(error: unknown, status: number): boolean {
  const { statusCode, cause } = error as { statusCode?: unknown; cause?: unknown };
  return statusCode === status || (cause !== undefined && hasStatus(cause, status));
}

/**
 * Converts the error of a call to a plain message. A daemon that does not answer may be restarting: that is retryable.
 * @param address of the daemon.
 */
export function dockerError(error: unknown, address: string): SandboxError {
  if (error instanceof SandboxError) return error;
  const { code, message, statusCode, name } = error as DaemonFailure;
  if (code !== undefined && FORBIDDEN.has(code)) return forbidden(error, address);
  if (isUnreachable(error)) return unreachable(error, address, code ?? message);
  if (name === 'AbortError') {
    return new SandboxError(`the Docker daemon at ${address} does not answer`, true, { cause: error });
  }
  // A refused call will be refused again. Other failures, such as a container that somebody removed, may be temporary.
  const isFinal = statusCode !== undefined && REFUSED.has(statusCode);
  return new SandboxError(`the Docker daemon at ${address} failed: ${message?.trim()}`, !isFinal, {
    cause: error,
  });
}

/** Converts an error at the start, when a daemon that does not answer has to be installed or started first. */
export function dockerErrorAtStart(error: unknown, address: string): SandboxError {
  const known = dockerError(error, address);
  return isUnreachable(known.cause) ? absent(known.cause, address) : known;
}

type DaemonFailure = Partial<NodeJS.ErrnoException> & { statusCode?: number };

function isUnreachable(error: unknown): boolean {
  const { code, message } = (error ?? {}) as DaemonFailure;
  return (code !== undefined && UNREACHABLE.has(code)) || message === 'socket hang up';
}

function unreachable(error: unknown, address: string, reason: string | undefined): SandboxError {
  return new SandboxError(`the Docker daemon at ${address} is unreachable: ${reason}`, true, {
    cause: error,
  });
}

function absent(error: unknown, address: string): SandboxError {
  return new SandboxError(
    `no Docker daemon answers at ${address}. Code is run in containers, so install Docker Engine ` +
      '(https://docs.docker.com/engine/install/) or start it (`sudo systemctl start docker`, or Docker Desktop), or ' +
      `set DOCKER_HOST to the address of another daemon. ${WITHOUT_DOCKER}`,
    false,
    { cause: error },
  );
}

function forbidden(error: unknown, address: string): SandboxError {
  return new SandboxError(
    `this user may not use the Docker daemon at ${address}. Join its group (\`sudo usermod -aG docker $USER\`, then ` +
      'log in again; its members are as powerful as root), use rootless Docker ' +
      `(https://docs.docker.com/engine/security/rootless/), or set DOCKER_HOST. ${WITHOUT_DOCKER}`,
    false,
    { cause: error },
  );
}
