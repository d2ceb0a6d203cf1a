import { describe, expect, test } from 'vitest';
import { hostError } from '../../src/sandboxes/host-disk.js';
import { SandboxError } from '../../src/sandboxes/sandbox.js';

const failed = (code: string) => Object.assign(new Error(`${code}: write`), { code });

describe('a write beside a program that fails', () => {
  test.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'])('with %s may succeed later', (code) => {
    const error = hostError(failed(code));
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining(code) });
  });

  test('for another reason is left as it is', () => {
    const error = failed('ENAMETOOLONG');
    expect(hostError(error)).toBe(error);
  });
});
