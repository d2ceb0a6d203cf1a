import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { type Sandbox, SandboxError } from '../../src/sandboxes/sandbox.js';
import { LIMITS, PATIENT, program } from './limits.js';

/** What holds for every sandbox. */
export function testSandbox(open: () => Sandbox): void {
  const run = (...[code, more]: Parameters<typeof program>) =>
    open().run(program(code, more), { limits: PATIENT });

  test('a program that ends well is ok, and its output is exact', async () => {
    const result = await run('import sys\nprint("é ü 漢字 😀")\nprint("second", file=sys.stderr)');
    expect(result).toEqual({
      status: 'ok',
      stdout: 'é ü 漢字 😀\n',
      stderr: 'second\n',
      exit_code: 0,
      truncated: false,
      seconds: expect.any(Number),
    });
    expect(result.seconds).toBeGreaterThan(0);
    expect(result.seconds).toBeLessThan(PATIENT.timeout_sec);
  });

  test('an empty program is ok and says nothing', async () => {
    expect(await run('')).toMatchObject({ status: 'ok', stdout: '', stderr: '', exit_code: 0 });
  });

  test('an uncaught exception is an error, with its traceback', async () => {
    const result = await run('def f():\n    return 1 / 0\n\nf()\n');
    expect(result).toMatchObject({ status: 'error', exit_code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /^Traceback [\s\S]*main\.py", line 4[\s\S]*ZeroDivisionError: division by zero\n$/,
    );
    // No line of ours is in it.
    expect(result.stderr.match(/File "/g)).toHaveLength(2);
  });

  test('code that does not compile is an error', async () => {
    const result = await run('def f(:');
    expect(result).toMatchObject({ status: 'error', exit_code: 1 });
    expect(result.stderr).toContain('SyntaxError');
  });

  test('the exit code is passed on', async () => {
    expect(await run('raise SystemExit(7)')).toMatchObject({ status: 'error', exit_code: 7 });
  });

  test('a signal leaves no exit code', async () => {
    const result = await run('import os, signal; os.kill(os.getpid(), signal.SIGTERM)');
    expect(result).toMatchObject({ status: 'error', exit_code: null });
  });

  test('the program reads its input, which ends', async () => {
    const input = 'first\nsecond ü\n';
    const result = await run('import sys; print(repr(sys.stdin.read()))', { input });
    expect(result.stdout).toBe("'first\\nsecond ü\\n'\n");
  });

  test('without input there is nothing to read', async () => {
    expect((await run('import sys; print(repr(sys.stdin.read()))')).stdout).toBe("''\n");
  });

  test('a large input that is not read does no harm, and one that is read is whole', async () => {
    const input = 'x'.repeat(3_000_000);
    expect(await run('print("done")', { input })).toMatchObject({ status: 'ok', stdout: 'done\n' });
    expect((await run('import sys; print(len(sys.stdin.read()))', { input })).stdout).toBe('3000000\n');
  });

  test('a program may have several files, in folders too', async () => {
    const result = await open().run(
      {
        files: {
          'solve.py': 'from tools.words import greet\nprint(greet(open("data/names.txt").read()), __name__)',
          'tools/__init__.py': '',
          'tools/words.py': 'def greet(name):\n    return f"hello {name}"',
          'data/names.txt': 'wörld',
        },
        main: 'solve.py',
      },
      { limits: PATIENT },
    );
    expect(result).toMatchObject({ status: 'ok', stdout: 'hello wörld __main__\n', stderr: '' });
  });

  test('the working folder, the home and the folder for temporary files are one, and can be written to', async () => {
    const result = await run(
      [
        'import os, tempfile',
        'places = {os.getcwd(), os.path.expanduser("~"), os.path.realpath(tempfile.gettempdir())}',
        'open("note", "w").write("kept")',
        'print(len({os.path.realpath(place) for place in places}), sorted(os.listdir()), open("note").read())',
      ].join('\n'),
    );
    expect(result).toMatchObject({ status: 'ok', stdout: "1 ['main.py', 'note'] kept\n" });
  });

  test('one program finds nothing of another', async () => {
    await run('open("secret", "w").write("x")');
    expect((await run('import os; print(os.listdir())')).stdout).toBe("['main.py']\n");
  });

  test('the order of sets is the same in every execution', async () => {
    const code = 'print(list({f"word {number}" for number in range(50)}))';
    expect((await run(code)).stdout).toBe((await run(code)).stdout);
  });

  test('processes of its own may be used', async () => {
    const code =
      'from multiprocessing import Pool\n' +
      'def square(x):\n    return x * x\n' +
      'if __name__ == "__main__":\n    print(Pool(3).map(square, range(5)))\n';
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: '[0, 1, 4, 9, 16]\n' });
  });

  test('threads may be used', async () => {
    const code =
      'from concurrent.futures import ThreadPoolExecutor\n' +
      'print(list(ThreadPoolExecutor(8).map(lambda x: x * x, range(5))))\n';
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: '[0, 1, 4, 9, 16]\n' });
  });

  test('a program at its deadline is killed, and what it wrote is kept', async () => {
    const code = 'print("started")\nwhile True: pass';
    const result = await open().run(program(code), { limits: LIMITS });
    expect(result).toMatchObject({ status: 'timeout', exit_code: null, stdout: 'started\n' });
    expect(result.seconds).toBeGreaterThanOrEqual(LIMITS.timeout_sec);
  });

  test('output of exactly the limit is whole; one byte more is the limit passed', async () => {
    const write = (count: number) => open().run(program(`print("x" * ${count}, end="")`), { limits: LIMITS });
    expect(await write(64_000)).toMatchObject({
      status: 'ok',
      truncated: false,
      stdout: 'x'.repeat(64_000),
    });
    expect(await write(64_001)).toMatchObject({
      status: 'output_limit',
      truncated: true,
      stdout: 'x'.repeat(64_000),
    });
  });

  test('a character that the limit goes through is left out', async () => {
    const code = 'print("a" + "ü" * 40_000, end="")';
    const result = await open().run(program(code), { limits: LIMITS });
    expect(result).toMatchObject({ status: 'output_limit', truncated: true });
    expect(result.stdout).toBe(`a${'ü'.repeat(31_999)}`);
  });

  test('text that replaces invalid bytes is no longer than the limit either', async () => {
    const code = 'import os; os.write(1, b"\\xff" * 30_000)';
    const result = await open().run(program(code), { limits: LIMITS });
    expect(result).toMatchObject({ status: 'ok', truncated: true });
    expect(result.stdout).toBe('\ufffd'.repeat(21_333));
  });

  test('memory below the limit can be had, and above it not', async () => {
    const take = (megabytes: number) =>
      open().run(program(`piece = bytearray(b"x" * (${megabytes} << 20)); print("had it")`), {
        limits: { ...PATIENT, memory_mb: 100 },
      });
    expect(await take(40)).toMatchObject({ status: 'ok', stdout: 'had it\n' });
    expect(await take(300)).toMatchObject({ status: 'out_of_memory', stdout: '' });
  });

  test('threads have stacks beside the memory, and libraries begin one a core', async () => {
    const code = [
      'import os, threading',
      'piece = bytearray(b"x" * (100 << 20))',
      'gate = threading.Event()',
      'threads = [threading.Thread(target=gate.wait) for _ in range(40)]',
      'for thread in threads: thread.start()',
      'gate.set()',
      'print(len(threads), os.environ["OMP_NUM_THREADS"])',
    ].join('\n');
    const limits = { ...PATIENT, memory_mb: 256, cpus: 1.5 };
    expect(await open().run(program(code), { limits })).toMatchObject({ status: 'ok', stdout: '40 2\n' });
  });

  test('an abort ends the program and rejects with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const running = open().run(program('while True: pass'), { limits: PATIENT, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 400);
    await expect(running).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('a signal that is aborted already starts nothing', async () => {
    const reason = new Error('too late');
    const signal = AbortSignal.abort(reason);
    await expect(open().run(program(''), { limits: PATIENT, signal })).rejects.toBe(reason);
  });

  test('programs that run at once do not mix', async () => {
    const numbers = [0, 1, 2, 3, 4, 5];
    const code = 'import time\nnumber = input()\ntime.sleep(0.1)\nprint(number * 1000)';
    const results = await Promise.all(numbers.map((number) => run(code, { input: `${number}\n` })));
    expect(results.map(({ stdout }) => stdout)).toEqual(
      numbers.map((number) => `${String(number).repeat(1000)}\n`),
    );
  });

  test.each([
    ['../outside.py', 'is not a relative path'],
    ['/etc/passwd', 'is not a relative path'],
    ['a//b', 'is not a relative path'],
    ['./a', 'is not a relative path'],
    ['', 'is not a relative path'],
    ['nul\0byte', 'is not a relative path'],
    ['main.py/below', 'is a file and a folder at once'],
  ])('a file named %j is refused', async (name, reason) => {
    const error = await open()
      .run(program('', { files: { 'main.py': '', [name]: '' } }), { limits: PATIENT })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining(reason) });
  });

  test('a program without the file that is to be run is refused', async () => {
    const running = open().run({ files: { 'a.py': '' }, main: 'b.py' }, { limits: PATIENT });
    await expect(running).rejects.toThrow('there is no file "b.py" to run');
  });

  test('text that is no UTF-16 arrives as U+FFFD', async () => {
    const result = await run('print(ascii("\ud800"), ascii(input()))', { input: '\udfff\n' });
    expect(result.stdout).toBe("'\\ufffd' '\\ufffd'\n");
  });
}
