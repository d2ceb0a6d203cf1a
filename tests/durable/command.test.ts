import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('the command can be run as it is built: npx looks after that only once for a folder', async () => {
  const { stdout } = await promisify(execFile)(resolve('dist/cli/main.js'), ['--help']);
  expect(stdout).toContain('reprise');
});
