import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whyNoOwnDaemon } from '../support/docker-engine.js';
import { mustSkipWithout } from '../support/missing-part.js';

const run = promisify(execFile);

describe.skipIf(mustSkipWithout('docker', await whyNoOwnDaemon()))('scripts/docker-daemon.sh', () => {
  let folder: string;
  beforeEach(async () => {
    // A socket's path has at most 107 characters, whatever TMPDIR is.
    folder = await mkdtemp('/tmp/reprise-dockerd-');
  });
  afterEach(() => daemon('remove'));

  const daemon = async (command: string) =>
    (await run('scripts/docker-daemon.sh', [command, folder], { timeout: 300_000 })).stdout.trim();
  const pid = async () => Number(await readFile(join(folder, 'pid'), 'utf8'));
  const serverVersion = async (address: string) =>
    (await run('docker', ['--host', address, 'version', '--format', '{{.Server.Version}}'])).stdout.trim();

  it('says where the daemon answers, and finds it again', async () => {
    const address = await daemon('start');
    expect(address).toBe(`unix://${folder}/docker.sock`);
    expect(await serverVersion(address)).toMatch(/^\d+\./);
    const first = await pid();
    expect(await daemon('start')).toBe(address);
    expect(await pid()).toBe(first);
  });

  it('starts right after a daemon was killed, whatever that left behind', async () => {
    await daemon('start');
    for (let kill = 0; kill < 2; kill++) {
      const killed = await pid();
      process.kill(killed, 'SIGKILL');
      expect(await serverVersion(await daemon('start'))).toMatch(/^\d+\./);
      expect(await pid()).not.toBe(killed);
    }
  });

  it('starts beside a process that has taken over the process id', async () => {
    await daemon('start');
    await daemon('stop');
    await writeFile(join(folder, 'pid'), String(process.pid));
    expect(await serverVersion(await daemon('start'))).toMatch(/^\d+\./);
  });

  it('prints what the daemon said where it cannot start', async () => {
    await writeFile(join(folder, 'data'), 'no folder');
    await expect(daemon('start')).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /try 3 of 3: the daemon did not start[\s\S]*points to a file[\s\S]*there is no daemon/,
      ),
    });
  });

  it('leaves neither process nor mount nor folder when it is removed', async () => {
    await daemon('start');
    const ended = await pid();
    // Stands for what containerd leaves beside a container now and then.
    const script = join(folder, 'containerd-shim-runc-v2');
    await writeFile(script, '#!/bin/sh\nread line\n', { mode: 0o755 });
    const shim = spawn(script, ['-address', `${folder}/run/containerd/containerd.sock`]);
    const shimEnded = once(shim, 'exit');
    await daemon('remove');
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(`/proc/${ended}`)).toBe(false);
    expect(await shimEnded).toEqual([null, 'SIGKILL']);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder);
    await daemon('remove');
  });
});
