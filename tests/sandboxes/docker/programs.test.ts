import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { createSandbox } from '../../../src/sandboxes/create.js';
import type { Sandbox } from '../../../src/sandboxes/sandbox.js';
import { dockerClient, findDocker, mustSkipDocker, untilRemoved } from '../../support/docker.js';
import { testSandbox } from '../contract.js';
import { LIMITS, PATIENT, program } from '../limits.js';

const found = await findDocker();

describe.skipIf(mustSkipDocker(found))('the sandbox "docker"', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await createSandbox('docker', { environment });
    await sandbox.prepare();
  });
  afterAll(() => sandbox?.close());

  testSandbox(() => sandbox);

  test('has left no container behind', async () => {
    await untilRemoved(docker, ownerLabel());
  });

  test('carries megabytes of output, whole', async () => {
    const code = 'print("0123456789" * 500_000, end="")';
    const result = await sandbox.run(program(code), { limits: { ...PATIENT, output_kb: 5_000 } });
    expect(result).toMatchObject({ status: 'ok', truncated: false });
    expect(result.stdout).toBe('0123456789'.repeat(500_000));
  });

  test('holds processes and threads to their limit', async () => {
    const code =
      'import os\ncount = 0\ntry:\n    while count < 100:\n        if os.fork() == 0:\n' +
      '            os.read(os.pipe()[0], 1)\n        count += 1\nexcept OSError:\n    pass\nprint(count)\n';
    const result = await sandbox.run(program(code), { limits: { ...PATIENT, pids: 10 } });
    expect(result).toMatchObject({ status: 'ok', stdout: '9\n' });
  });

  test('holds the CPU to its share', async () => {
    const code =
      'import time\nend = time.monotonic() + 1.5\nwhile time.monotonic() < end: pass\nprint(time.process_time())';
    const result = await sandbox.run(program(code), { limits: { ...PATIENT, cpus: 0.2 } });
    expect(result.status).toBe('ok');
    // 0.3 s, and a tenth of a second's accounting period at either end.
    expect(Number(result.stdout)).toBeLessThan(0.6);
  });

  test('takes more CPU cores than there are for all of them', async () => {
    const result = await sandbox.run(program('print(1)'), { limits: { ...PATIENT, cpus: 10_000 } });
    expect(result).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  test('counts what the folder holds as memory, and outlives a folder that is larger than the memory', async () => {
    const code =
      'import os\nwith open("filler", "wb", buffering=0) as file:\n' +
      '    while True: file.write(b"x" * (1 << 20))\n';
    const result = await sandbox.run(program(code), {
      limits: { ...PATIENT, memory_mb: 64, tmpfs_mb: 1000 },
    });
    expect(['error', 'out_of_memory']).toContain(result.status);
  });

  test('calls the death of a child for memory the end of the program, unless the program survives it', async () => {
    const take =
      'import os, sys\nchild = os.fork()\nif child == 0:\n    piece = bytearray(b"x" * (400 << 20))\n' +
      '    os._exit(0)\nstatus = os.waitpid(child, 0)[1]\n';
    const survives = program(`${take}print("continued")`);
    expect(await sandbox.run(survives, { limits: PATIENT })).toMatchObject({
      status: 'ok',
      stdout: 'continued\n',
    });
    const ends = program(`${take}sys.exit(status)`);
    expect(await sandbox.run(ends, { limits: PATIENT })).toMatchObject({ status: 'out_of_memory' });
  });

  test('blames a program that does not fit into its folder', async () => {
    const files = { 'main.py': '', 'data.txt': 'x'.repeat(17 << 20) };
    expect(await sandbox.run({ files, main: 'main.py' }, { limits: LIMITS })).toMatchObject({
      status: 'error',
      exit_code: null,
      stderr: `the program's file 'data.txt' cannot be written: No space left on device\n`,
    });
  });
});
