import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import { installedPython } from '../../src/kinds/evolve/installed-python.js';
import { createSandbox } from '../../src/sandboxes/create.js';
import { SandboxError } from '../../src/sandboxes/sandbox.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { until } from '../support/workplace.js';
import { testSandbox } from './contract.js';
import { LIMITS, PATIENT, program } from './limits.js';

const { PATH } = process.env;
const KEY = 'sk-the-key-of-the-worker';

const skip = mustSkipPython(await findPython());

describe.skipIf(skip)('the sandbox "process"', async () => {
  const sandbox = await createSandbox('process', { environment: { PATH, GEMINI_API_KEY: KEY } });
  afterAll(() => sandbox.close());

  testSandbox(() => sandbox);

  test('is ready where there is a Python', async () => {
    await sandbox.prepare();
    expect(sandbox.type).toBe('process');
  });

  test('hands on no variable but PATH, and says how many threads to begin', async () => {
    const code = 'import os; print(sorted(os.environ)); print(os.environ)';
    const { stdout } = await sandbox.run(program(code), { limits: PATIENT });
    expect(stdout).toMatch(/^\['HOME', 'LANG', 'OMP_NUM_THREADS', 'PATH', 'PYTHONHASHSEED', 'TMPDIR'\]\n/);
    expect(stdout).not.toContain(KEY);
  });

  test('ends the processes that a program leaves in its group', async () => {
    const code =
      'import os, subprocess, sys\n' +
      'child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])\n' +
      'print(child.pid)\n';
    const result = await sandbox.run(program(code), { limits: PATIENT });
    expect(result.status).toBe('ok');
    await until('the child is gone', () => !isRunning(Number(result.stdout)), 5_000);
  });

  test('ends the whole group at the deadline', async () => {
    const code = 'import os\nprint(os.getpid())\nprint(os.fork() or "")\nwhile True: pass';
    const { status, stdout } = await sandbox.run(program(code), { limits: LIMITS });
    expect(status).toBe('timeout');
    const processes = stdout.trim().split(/\s+/).map(Number);
    expect(processes).toHaveLength(2);
    await until('both are gone', () => !processes.some(isRunning), 5_000);
  });

  test('does not wait for a process that left the group and holds the output open', async () => {
    const code =
      'import os, time\nchild = os.fork()\n' +
      'if child == 0:\n    os.setsid()\n    time.sleep(600)\n' +
      'print(child)\ntime.sleep(0.2)\n';
    const result = await sandbox.run(program(code), { limits: PATIENT });
    expect(result.status).toBe('ok');
    const escaped = Number(result.stdout);
    expect(isRunning(escaped)).toBe(true);
    process.kill(escaped, 'SIGKILL');
  });

  test('does not write a file larger than the folder may be', async () => {
    const code = 'open("large", "wb").write(bytes(17 << 20))';
    const result = await sandbox.run(program(code), { limits: LIMITS });
    expect(result).toMatchObject({ status: 'error' });
    expect(result.stderr).toContain('File too large');
  });

  test('leaves no folder behind', async () => {
    // Its folder's own name is taken out of what it prints.
    const code = 'import os; print(os.path.basename(os.getcwd()))';
    const { stdout } = await sandbox.run(program(code), { limits: PATIENT });
    expect(stdout).toMatch(/^reprise-code-\w+\n$/);
    await sandbox.run(program('import os\nos.mkdir("x")\nwhile True: pass'), { limits: LIMITS });
    expect(readdirSync(tmpdir())).not.toContain(stdout.trim());
  });

  test('gives its folder the same name in whatever comes of a program, each time', async () => {
    const { stdout } = await sandbox.run(program('import os; print(os.getcwd(), os.environ["HOME"])'), {
      limits: PATIENT,
    });
    expect(stdout).toBe('/work /work\n');
    const code =
      'import os, traceback\ndef process_input(text):\n    print(__file__)\n    try:\n        open(os.path.abspath("no"))\n' +
      '    except OSError:\n        failed = traceback.format_exc()\n    if text == "fail":\n        raise ValueError(failed)\n    return failed\n';
    const called = async (input: string) => {
      const { seconds: _seconds, ...result } = await sandbox.call(
        { files: { 'scaffold.py': code }, module: 'scaffold', function: 'process_input', input },
        { limits: PATIENT, respond: null, resources: () => ({ calls: 0, usd: null }) },
      );
      return result;
    };
    const [returned, failed] = [await called('return'), await called('fail')];
    expect(returned).toMatchObject({ status: 'ok', stdout: '/work/scaffold.py\n' });
    expect(returned.output).toContain('File "/work/scaffold.py", line 5');
    expect(failed.stderr).toContain("No such file or directory: '/work/no'");
    expect([await called('return'), await called('fail')]).toEqual([returned, failed]);
  });

  test('says what its interpreter has', async () => {
    const found = await installedPython(sandbox);
    const listed =
      'import json; from importlib.metadata import distributions as d; print(json.dumps([x.metadata["Name"] for x in d()]))';
    const { stdout } = await sandbox.run(program(listed), { limits: PATIENT });
    expect(found?.version).toMatch(/^3\.\d+\.\d+$/);
    expect(new Set(Object.keys(found?.packages ?? {}))).toEqual(new Set(JSON.parse(stdout)));
    const broken = {
      run: async () => ({ ...(await sandbox.run(program('print("no")'), { limits: PATIENT })) }),
    };
    expect(await installedPython(broken)).toBeNull();
  });

  test('uses the interpreter that REPRISE_PYTHON names', async () => {
    const path = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
    const named = await createSandbox('process', { environment: { PATH: '', REPRISE_PYTHON: path.trim() } });
    await named.prepare();
    const result = await named.run(program('import sys; print(sys.executable)'), { limits: PATIENT });
    expect(result.stdout).toBe(path);
  });

  test.each([
    [
      '/nowhere/python3',
      /^\/nowhere\/python3 was not found\. Install Python 3\.9 or newer, or .*REPRISE_PYTHON/,
    ],
    ['/bin/false', /^\/bin\/false is no Python 3\.9 or newer\. Install/],
  ])('says what to do where %s is the interpreter', async (python, message) => {
    const lacking = await createSandbox('process', { environment: { PATH, REPRISE_PYTHON: python } });
    const error = await lacking.prepare().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error.message).toMatch(message);
    expect(error.retryable).toBe(false);
  });

  test('a program that cannot be started is an error of the sandbox, not of the program', async () => {
    const lacking = await createSandbox('process', { environment: { REPRISE_PYTHON: '/nowhere/python3' } });
    const running = lacking.run(program(''), { limits: PATIENT });
    await expect(running).rejects.toBeInstanceOf(SandboxError);
  });
});

/** A dead process that nobody has taken note of yet runs no more. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    const stat = existsSync('/proc') ? readFileSync(`/proc/${processId}/stat`, 'utf8') : '';
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
