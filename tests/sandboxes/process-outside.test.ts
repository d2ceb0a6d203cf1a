import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { processSandbox } from '../../src/sandboxes/process-sandbox.js';
import { KilledError, SandboxError } from '../../src/sandboxes/sandbox.js';
import { scaffoldSupport } from '../../src/sandboxes/scaffold-support.js';
import { JITI } from '../support/jiti.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { blockEventLoop, LIMITS, PATIENT, program } from './limits.js';

const { PATH } = process.env;
const skip = mustSkipPython(await findPython());

describe.skipIf(skip)('what happens to a program on the host from outside', () => {
  const sandbox = processSandbox({ environment: { PATH } });
  afterAll(() => sandbox.close());
  const rejection = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

  test('SIGKILL that the sandbox did not send is no result of the program', async () => {
    const code =
      'import os\nfrom llm_executor import execute_llm\ndef process_input(_):\n    return execute_llm(str(os.getpid()))';
    const error = await rejection(
      sandbox.call(
        {
          files: { 'scaffold.py': code, ...(await scaffoldSupport()) },
          module: 'scaffold',
          function: 'process_input',
          input: '',
        },
        {
          limits: PATIENT,
          respond: ({ prompt }) => {
            process.kill(Number(prompt), 'SIGKILL');
            return new Promise(() => {});
          },
          resources: () => ({ calls: null, usd: null }),
        },
      ),
    );
    expect(error).toBeInstanceOf(KilledError);
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('from outside') });
  });

  test('the end of the sandbox is none either', async () => {
    const closing = processSandbox({ environment: { PATH } });
    const running = rejection(closing.run(program('import time\ntime.sleep(600)'), { limits: PATIENT }));
    const stop = setInterval(() => void closing.close(), 50);
    expect(await running).toMatchObject({
      name: 'SandboxError',
      retryable: true,
      message: 'the sandbox is closed',
    });
    clearInterval(stop);
  });

  test('a program that ends in time is no timeout where this process was busy at its deadline', async () => {
    const running = sandbox.run(program('import time\ntime.sleep(0.2)\nprint("done")'), { limits: LIMITS });
    // After this the loop looks at its timers, and only then at what has ended.
    setTimeout(() => setImmediate(() => blockEventLoop(LIMITS.timeout_sec * 1000 + 300)), 30);
    expect(await running).toMatchObject({ status: 'ok', stdout: 'done\n' });
  });

  const FULL = 'raise OSError(28, "No space left on device")';

  test('a full disk of the machine is not the program’s fault', async () => {
    // No disk has room for what this program may write.
    const limits = { ...LIMITS, tmpfs_mb: 1e9 };
    const error = await rejection(sandbox.run(program(`open("a", "w").write("x")\n${FULL}`), { limits }));
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({
      retryable: true,
      message: 'the disk of this machine is full: OSError: [Errno 28] No space left on device',
    });
  });

  test('a program that says so of a disk that has room has failed', async () => {
    expect(await sandbox.run(program(FULL), { limits: LIMITS })).toMatchObject({ status: 'error' });
  });

  test('a process that may open no more files starts no program, and continues', async () => {
    const script = join(import.meta.dirname, 'without-files.ts');
    const command = 'ulimit -n 64 && exec "$0" "$@"';
    const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, JITI, script]);
    expect(JSON.parse(stdout)).toEqual({
      name: 'SandboxError',
      retryable: true,
      message: 'python3 cannot be started: too many open files',
      afterwards: 'ok',
    });
  });

  test('a disk that the program has filled with more than it may is', async () => {
    const files = 'for name in "ab":\n    open(name, "wb").truncate(9 << 20)\n';
    expect(await sandbox.run(program(files + FULL), { limits: LIMITS })).toMatchObject({ status: 'error' });
  });

  test('a program that continues after such an error, or only speaks of one, has ended by itself', async () => {
    const code = `try:\n    ${FULL}\nexcept OSError as error:\n    print(error)`;
    expect(await sandbox.run(program(code), { limits: LIMITS })).toMatchObject({ status: 'ok' });
    const other = 'import sys\nprint("OSError: [Errno 28] No space left on device", file=sys.stderr)\n1 / 0';
    expect(await sandbox.run(program(other), { limits: LIMITS })).toMatchObject({ status: 'error' });
  });
});
