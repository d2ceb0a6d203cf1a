import { describe, expect, test } from 'vitest';
import { dockerError, dockerErrorAtStart, hasStatus } from '../../src/sandboxes/docker-errors.js';
import { SandboxError } from '../../src/sandboxes/sandbox.js';

const ADDRESS = '/var/run/docker.sock';
const failure = (message: string, more: object) => Object.assign(new Error(message), more);

describe("an error of the daemon's", () => {
  test.each([
    ['connect ENOENT', { code: 'ENOENT' }, true, /is unreachable: ENOENT/],
    ['connect ECONNREFUSED', { code: 'ECONNREFUSED' }, true, /is unreachable: ECONNREFUSED/],
    ['read ECONNRESET', { code: 'ECONNRESET' }, true, /is unreachable: ECONNRESET/],
    ['socket hang up', {}, true, /is unreachable: socket hang up/],
    ['connect EACCES', { code: 'EACCES' }, false, /this user may not use the Docker daemon/],
    ['The operation was aborted', { name: 'AbortError' }, true, /does not answer/],
    ['(HTTP code 400) bad parameter - no', { statusCode: 400 }, false, /failed: \(HTTP code 400\)/],
    ['(HTTP code 404) no such container', { statusCode: 404 }, true, /failed: \(HTTP code 404\)/],
    ['(HTTP code 409) conflict', { statusCode: 409 }, true, /failed: \(HTTP code 409\)/],
    ['(HTTP code 500) server error', { statusCode: 500 }, true, /failed: \(HTTP code 500\)/],
  ])('%s says what happened, and whether to try again', (message, more, retryable, text) => {
    const error = dockerError(failure(message, more), ADDRESS);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error.retryable).toBe(retryable);
    expect(error.message).toMatch(text);
  });

  test('at the start is no reason to try again, but to install or start something', () => {
    const error = dockerErrorAtStart(failure('connect ENOENT', { code: 'ENOENT' }), ADDRESS);
    expect(error.retryable).toBe(false);
    expect(error.message).toContain('install Docker Engine');
    const other = new SandboxError('no such image', false, { cause: failure('x', { statusCode: 404 }) });
    expect(dockerErrorAtStart(other, ADDRESS)).toBe(other);
  });

  test('keeps its status, behind whatever it is wrapped in', () => {
    const cause = failure('no such image', { statusCode: 404 });
    expect(hasStatus(new SandboxError('x', true, { cause }), 404)).toBe(true);
    expect(hasStatus(cause, 409)).toBe(false);
    expect(hasStatus(new Error('x'), 404)).toBe(false);
  });
});
