import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandboxes/create.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { scaffold, testCalls, withoutModel } from './calls-contract.js';

const skip = mustSkipPython(await findPython());

describe.skipIf(skip)('a call in the sandbox "process"', async () => {
  const sandbox = await createSandbox('process', { environment: { PATH: process.env.PATH } });
  afterAll(() => sandbox.close());

  testCalls(() => sandbox);

  test('opens its socket for this user only, and leaves no folder behind', async () => {
    const code = [
      'import os',
      'def process_input(_):',
      '    folder = os.path.dirname(os.environ["REPRISE_MODEL_SOCKET"])',
      '    return f"{oct(os.stat(folder).st_mode)} {folder}"',
    ].join('\n');
    const { output } = await sandbox.call(await scaffold(code), withoutModel);
    const [mode, folder = ''] = output?.split(' ') ?? [];
    expect(mode).toBe('0o40700');
    expect(folder.startsWith(tmpdir())).toBe(true);
    expect(readdirSync(tmpdir())).not.toContain(folder.split('/').at(-1));
  });
});
