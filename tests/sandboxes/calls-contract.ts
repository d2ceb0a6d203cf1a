import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import {
  type FunctionCallOptions,
  type FunctionProgram,
  type FunctionSandbox,
  type ModelReply,
  type ModelRequest,
  SandboxError,
} from '../../src/sandboxes/sandbox.js';
import { scaffoldSupport } from '../../src/sandboxes/scaffold-support.js';
import { until } from '../support/workplace.js';
import { LIMITS, PATIENT } from './limits.js';

/** Room for the stacks of many threads, which a process's own limit counts. */
export const ROOMY = { ...PATIENT, memory_mb: 512 };

/** A program whose `scaffold.py` is this code, with the files that give it a model. */
export async function scaffold(code: string, more: Partial<FunctionProgram> = {}): Promise<FunctionProgram> {
  const { files, ...rest } = more;
  return {
    files: { 'scaffold.py': code, ...(await scaffoldSupport()), ...files },
    module: 'scaffold',
    function: 'process_input',
    input: '',
    ...rest,
  };
}

export const withoutModel: FunctionCallOptions = {
  limits: PATIENT,
  respond: null,
  resources: () => ({ calls: 0, usd: null }),
};

/** A model whose replies a test gives by hand. */
export class HandModel {
  readonly requests: { request: ModelRequest; signal: AbortSignal; reply: (reply: ModelReply) => void }[] =
    [];

  readonly respond = (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> =>
    new Promise((resolve, reject) => {
      this.requests.push({ request, signal, reply: resolve });
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  asked(count: number): Promise<void> {
    return until(`${count} requests have come`, () => this.requests.length >= count, 20_000);
  }
}

const MODEL = 'from llm_executor import execute_llm, resources\n';
const echo = async ({ prompt, system_prompt }: ModelRequest): Promise<ModelReply> => ({
  text: `${system_prompt}:${prompt}`,
});

/** What holds for a call in every sandbox. */
export function testCalls(open: () => FunctionSandbox): void {
  async function call(code: string, more: Partial<FunctionCallOptions> & Partial<FunctionProgram> = {}) {
    const { files, module, function: name, input, ...options } = more;
    const program = { ...(module && { module }), ...(name && { function: name }), ...(input && { input }) };
    return open().call(await scaffold(code, { ...program, files }), { ...withoutModel, ...options });
  }
  const failed = { status: 'error', exit_code: 1, output: null };

  test('what the function returns comes back, and its prints stay apart', async () => {
    const code = [
      'import sys',
      'def process_input(text):',
      '    print("on standard output")',
      '    print("on standard error", file=sys.stderr)',
      '    return text.upper()',
    ].join('\n');
    expect(await call(code, { input: 'abc' })).toEqual({
      status: 'ok',
      output: 'ABC',
      stdout: 'on standard output\n',
      stderr: 'on standard error\n',
      exit_code: 0,
      truncated: false,
      seconds: expect.any(Number),
    });
  });

  test.each([
    ['', 'nothing'],
    ['é ü 漢字 😀', 'any writing'],
    ['\ufeffa\r\nb\rc\u2028d\0e\n\n', 'marks, line ends and NUL'],
    [`{"type": "result", "status": "ok"}\n`.repeat(20), 'what looks like a message'],
  ])('%j is handed in and returned as it is', async (input, _what) => {
    const code = 'def process_input(text):\n    return text';
    expect(await call(code, { input })).toMatchObject({ status: 'ok', output: input });
  });

  test('a result of exactly the output limit is whole; one byte more is the limit passed', async () => {
    const code = (count: number) => `def process_input(_):\n    return "ü" * ${count / 2}`;
    expect(await call(code(64_000))).toMatchObject({ status: 'ok', output: 'ü'.repeat(32_000) });
    expect(await call(code(64_002))).toMatchObject({
      status: 'output_limit',
      output: null,
      truncated: false,
      stderr: 'scaffold.process_input returned more than 64000 bytes\n',
    });
    const limits = { ...ROOMY, output_kb: 5_000 };
    expect((await call(code(5_000_000), { limits })).output).toBe('ü'.repeat(2_500_000));
  });

  test('too much output of other kinds is too much as well', async () => {
    const result = await call('def process_input(_):\n    print("x" * 64_001)\n    return "fine"');
    expect(result).toMatchObject({ status: 'output_limit', output: null, truncated: true, stderr: '' });
  });

  test('an exception is an error, with a traceback that shows the program only', async () => {
    const result = await call('def process_input(text):\n    return helper()\n\ndef helper():\n    1 / 0\n');
    expect(result).toMatchObject({ ...failed, stdout: '' });
    expect(result.stderr).toMatch(
      /^Traceback [\s\S]*scaffold\.py", line 2, in process_input[\s\S]*line 5[\s\S]*ZeroDivisionError: [^\n]*\n$/,
    );
    expect(result.stderr.match(/File "/g)).toHaveLength(2);
  });

  test.each([
    ['None', 'NoneType'],
    ['42', 'int'],
    ['b"bytes"', 'bytes'],
    ['["a"]', 'list'],
  ])('returning %s is an error that says so', async (value, type) => {
    const result = await call(`def process_input(_):\n    return ${value}`);
    expect(result).toMatchObject({ ...failed, stderr: `scaffold.process_input returned ${type}, not str\n` });
  });

  test.each([
    ['def other(_): pass', 'scaffold.py defines no function process_input\n'],
    ['process_input = "text"', 'scaffold.py defines no function process_input\n'],
    ['def process_input(): return ""', /takes 0 positional arguments but 1 was given\n$/],
    ['raise ValueError("at import")', /scaffold\.py", line 1, in <module>[\s\S]*ValueError: at import\n$/],
    ['def f(:', /scaffold\.py", line 1\n[\s\S]*SyntaxError/],
    ['import not_there', /ModuleNotFoundError: No module named 'not_there'\n$/],
    [
      'def process_input(_): return "\\ud800"',
      /returned a text that is no Unicode: .*surrogates not allowed\n$/,
    ],
  ])('%j is an error', async (code, stderr) => {
    const result = await call(code);
    expect(result).toMatchObject(failed);
    if (typeof stderr === 'string') expect(result.stderr).toBe(stderr);
    else expect(result.stderr).toMatch(stderr);
  });

  test.each([
    ['sys.exit()', 0],
    ['os._exit(0)', 0],
    ['sys.exit(7)', 7],
    ['sys.exit("no luck")', 1],
    ['os.kill(os.getpid(), 15)', null],
  ])('a program that ends by %s has not returned', async (end, exit_code) => {
    const result = await call(`import os, sys\ndef process_input(_):\n    ${end}\n    return "no"`);
    expect(result).toMatchObject({ status: 'error', output: null, exit_code });
    if (exit_code === 0)
      expect(result.stderr).toBe('the program ended before scaffold.process_input returned\n');
  });

  test('a part of a result is none', async () => {
    const code = [
      'import os',
      'def process_input(_):',
      '    for descriptor in range(3, 20):',
      '        try:',
      '            os.write(descriptor, b"half of it")',
      '        except OSError:',
      '            pass',
      '    os._exit(0)',
    ].join('\n');
    expect(await call(code)).toMatchObject({ status: 'error', exit_code: 0, output: null });
  });

  test('what another program started by this one prints or writes is no result', async () => {
    const code = [
      'import subprocess, sys',
      'CHILD = """',
      'import os',
      'print("printed by the child")',
      'for descriptor in range(3, 20):',
      '    try:',
      '        os.write(descriptor, b"forged\\\\xff")',
      '        print("wrote to", descriptor)',
      '    except OSError: pass',
      '"""',
      'def process_input(_):',
      '    subprocess.run([sys.executable, "-c", CHILD], close_fds=False)',
      '    return "true"',
    ].join('\n');
    expect(await call(code)).toMatchObject({
      status: 'ok',
      output: 'true',
      stdout: 'printed by the child\n',
      stderr: '',
    });
  });

  test('only one process returns where the function forks', async () => {
    const code = 'import os\ndef process_input(_):\n    os.fork()\n    return "one"';
    expect(await call(code)).toMatchObject({ status: 'ok', output: 'one' });
  });

  test('threads that still run when the function returns are not waited for', async () => {
    const code = [
      'import threading, time',
      'def process_input(_):',
      '    threading.Thread(target=time.sleep, args=(1000,)).start()',
      '    return "done"',
    ].join('\n');
    expect(await call(code)).toMatchObject({ status: 'ok', output: 'done' });
  });

  test('a program may have several files, and finds nothing on its standard input', async () => {
    const result = await call(
      'import sys\nfrom tools import words\ndef main(text):\n    return words.greet(text) + repr(sys.stdin.read()) + __name__',
      {
        files: {
          'solver.py': 'from scaffold import main as solve',
          'tools/__init__.py': '',
          'tools/words.py': 'def greet(name):\n    return f"hello {name} "',
        },
        module: 'solver',
        function: 'solve',
        input: 'wörld',
      },
    );
    expect(result).toMatchObject({ status: 'ok', output: "hello wörld ''scaffold", stderr: '' });
  });

  test('modules of its own may have the names of the library', async () => {
    const result = await call('import base64\ndef process_input(_):\n    return base64.planted', {
      files: { 'base64.py': 'planted = "own"' },
    });
    expect(result).toMatchObject({ status: 'ok', output: 'own' });
  });

  test.each([
    [{ module: 'missing' }, 'there is no file "missing.py" to run'],
    [{ module: '-c' }, '"-c" is no name in Python'],
    [{ function: 'a.b' }, '"a.b" is no name in Python'],
    [{ files: { '../x.py': '' } }, 'is not a relative path'],
  ])('a call of %j is refused', async (more, reason) => {
    const error = await call('', more).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining(reason) });
  });

  test('the model is asked and answers', async () => {
    const code = `${MODEL}def process_input(text):\n    return execute_llm(text) + "|" + execute_llm("b", "system ü")`;
    const result = await call(code, { input: 'é "\\\n\0😀', respond: echo });
    expect(result).toMatchObject({ status: 'ok', output: 'null:é "\\\n\0😀|system ü:b', stderr: '' });
  });

  test('threads may ask at once, and each gets its own reply, in whatever order they come', async () => {
    const model = new HandModel();
    const code = [
      `${MODEL}from concurrent.futures import ThreadPoolExecutor`,
      'def process_input(_):',
      '    with ThreadPoolExecutor(20) as pool:',
      '        return " ".join(pool.map(lambda number: execute_llm(str(number)), range(20)))',
    ].join('\n');
    const calling = call(code, { limits: ROOMY, respond: model.respond });
    await model.asked(20);
    for (const { request, reply } of [...model.requests].reverse()) reply({ text: `<${request.prompt}>` });
    const numbers = Array.from({ length: 20 }, (_, number) => `<${number}>`);
    expect(await calling).toMatchObject({ status: 'ok', output: numbers.join(' ') });
  });

  test('processes that the program starts may ask as well', async () => {
    const code = [
      `${MODEL}import multiprocessing, subprocess, sys`,
      'def ask(number):\n    return execute_llm(str(number))',
      'def process_input(_):',
      '    with multiprocessing.Pool(3) as pool:',
      '        replies = pool.map(ask, range(4))',
      '    code = "from llm_executor import execute_llm; print(execute_llm(\'child\'))"',
      '    subprocess.run([sys.executable, "-c", code])',
      '    return " ".join(replies)',
    ].join('\n');
    expect(await call(code, { respond: echo })).toMatchObject({
      status: 'ok',
      output: 'null:0 null:1 null:2 null:3',
      stdout: 'null:child\n',
    });
  });

  test('an error is raised in the program, which may continue', async () => {
    const code = [
      MODEL,
      'def process_input(_):',
      '    try:',
      '        execute_llm("a")',
      '    except RuntimeError as error:',
      '        return f"told: {error}"',
    ].join('\n');
    const respond = async () => ({ error: 'no call is left: “spent”' });
    expect((await call(code, { respond })).output).toBe('told: no call is left: “spent”');
    const result = await call(`${MODEL}def process_input(_):\n    execute_llm("a")`, { respond });
    expect(result).toMatchObject({ ...failed });
    expect(result.stderr).toMatch(/RuntimeError: no call is left: “spent”\n$/);
  });

  test('where the answering fails, the program is ended and the reason is passed on', async () => {
    const reason = new Error('the provider refuses the key');
    const signals = new Map<string, AbortSignal>();
    const respond = async ({ prompt }: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
      signals.set(prompt, signal);
      await until('both have asked', () => signals.size === 2);
      if (prompt === '1') throw reason;
      return new Promise(() => {});
    };
    const code = [
      `${MODEL}import threading`,
      'def process_input(_):',
      '    threading.Thread(target=execute_llm, args=("0",)).start()',
      '    try:',
      '        return execute_llm("1")',
      '    finally:',
      '        while True: pass',
    ].join('\n');
    await expect(call(code, { respond })).rejects.toBe(reason);
    expect(signals.get('0')?.aborted).toBe(true);
  });

  test('a request that is open at the deadline is aborted', async () => {
    const model = new HandModel();
    const code = `${MODEL}def process_input(_):\n    print("asking")\n    return execute_llm("a")`;
    const result = await call(code, { limits: LIMITS, respond: model.respond });
    expect(result).toMatchObject({ status: 'timeout', output: null, exit_code: null, stdout: 'asking\n' });
    expect(model.requests.map(({ signal }) => signal.aborted)).toEqual([true]);
  });

  test('an abort ends a program that waits for its model', async () => {
    const model = new HandModel();
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const code = `${MODEL}def process_input(_):\n    return execute_llm("a")`;
    const calling = call(code, { respond: model.respond, signal: controller.signal });
    const ending = expect(calling).rejects.toBe(reason);
    await model.asked(1);
    controller.abort(reason);
    await ending;
    expect(model.requests[0]?.signal.aborted).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await expect(call(code, { signal: controller.signal })).rejects.toBe(reason);
  });

  test('a thread that continues asking when the function has returned is cut off', async () => {
    const model = new HandModel();
    const code = [
      `${MODEL}import threading`,
      'def ask():',
      '    while True: execute_llm("on")',
      'def process_input(_):',
      '    threading.Thread(target=ask, daemon=True).start()',
      '    return execute_llm("last")',
    ].join('\n');
    const calling = call(code, { respond: model.respond });
    await model.asked(2);
    model.requests.find(({ request }) => request.prompt === 'last')?.reply({ text: 'the end' });
    expect(await calling).toMatchObject({ status: 'ok', output: 'the end' });
    expect(model.requests.find(({ request }) => request.prompt === 'on')?.signal.aborted).toBe(true);
  });

  test('what is left is told, anew each time', async () => {
    let calls = 3;
    const code = `${MODEL}import json\ndef process_input(_):\n    return json.dumps([resources(), resources()])`;
    const { output } = await call(code, { resources: () => ({ calls: --calls, usd: 0.25 }), respond: echo });
    const [first, second] = JSON.parse(output ?? '');
    expect(first).toEqual({ seconds: expect.any(Number), calls: 2, usd: 0.25 });
    expect(second).toEqual({ seconds: expect.any(Number), calls: 1, usd: 0.25 });
    expect(first.seconds).toBeLessThan(PATIENT.timeout_sec);
    expect(second.seconds).toBeLessThan(first.seconds);
    expect(second.seconds).toBeGreaterThan(0);
  });

  test('what has no limit is None, and resources that cannot be told end the program', async () => {
    const code = `${MODEL}def process_input(_):\n    left = resources()\n    return str((left["calls"], left["usd"]))`;
    const resources = () => ({ calls: null, usd: null });
    expect((await call(code, { resources })).output).toBe('(None, None)');
    const reason = new Error('nobody knows');
    const failing = call(code, {
      resources: () => {
        throw reason;
      },
    });
    await expect(failing).rejects.toBe(reason);
  });

  test('without a model, asking raises an exception that says so', async () => {
    const code = `${MODEL}def process_input(_):\n    return execute_llm("a")`;
    const result = await call(code);
    expect(result).toMatchObject(failed);
    expect(result.stderr).toMatch(/RuntimeError: there is no language model for this program\n$/);
  });

  test('a program that is not called has no model either', async () => {
    const files = { 'main.py': `${MODEL}print(resources())\nexecute_llm("a")`, ...(await scaffoldSupport()) };
    const result = await open().run({ files, main: 'main.py' }, { limits: PATIENT });
    expect(result).toMatchObject({ status: 'error', stdout: "{'seconds': None, 'calls': 0, 'usd': None}\n" });
    expect(result.stderr).toMatch(
      /RuntimeError: there is no language model here; `npx reprise scaffold run` has one for this program\n$/,
    );
  });

  test('a prompt of 2 MB is sent, and a larger one raises an exception', async () => {
    const code = [
      MODEL,
      'def process_input(_):',
      '    size = execute_llm("ü" * 999_000, "s" * 2_000)',
      '    try:',
      '        execute_llm("ü" * 999_000, "s" * 2_001)',
      '    except ValueError as error:',
      '        return f"{size}, {error}"',
    ].join('\n');
    const respond = async ({ prompt, system_prompt }: ModelRequest) => ({
      text: `${Buffer.byteLength(prompt)} and ${system_prompt?.length}`,
    });
    const result = await call(code, { limits: ROOMY, respond });
    expect(result.output).toBe(
      '1998000 and 2000, a prompt may have 2000000 bytes at most; this one has 2000001',
    );
  });

  test('a reply of 2 MB arrives, and a larger one is an error', async () => {
    const code = [
      `${MODEL}import hashlib`,
      'def process_input(_):',
      '    text = execute_llm("1000000")',
      '    try:',
      '        execute_llm("1000001")',
      '    except RuntimeError as error:',
      '        return f"{len(text)} {set(text)}, {error}"',
    ].join('\n');
    const respond = async ({ prompt }: ModelRequest) => ({ text: 'ü'.repeat(Number(prompt)) });
    const result = await call(code, { limits: ROOMY, respond });
    expect(result.output).toBe("1000000 {'ü'}, the reply has 2000002 bytes; 2000000 can be passed on");
  });

  test.each([
    ['1', 'int'],
    ['None', 'NoneType'],
    ['b"a"', 'bytes'],
  ])('a prompt that is %s is refused', async (prompt, type) => {
    const result = await call(`${MODEL}def process_input(_):\n    return execute_llm(${prompt})`, {
      respond: echo,
    });
    expect(result).toMatchObject(failed);
    expect(result.stderr).toMatch(new RegExp(`TypeError: prompt must be a str, not ${type}\n$`));
  });

  test('a flood of requests is let through 64 at a time', async () => {
    let [running, most, released] = [0, 0, false];
    const respond = async ({ prompt }: ModelRequest): Promise<ModelReply> => {
      running += 1;
      most = Math.max(most, running);
      await until('64 are open', () => released || running === 64);
      released = true;
      running -= 1;
      return { text: prompt };
    };
    const result = await call(raw(FLOOD), { limits: ROOMY, respond });
    expect(result).toMatchObject({ status: 'ok', output: '120 replies' });
    expect(most).toBe(64);
  });

  test('whatever is written to the socket does no harm', async () => {
    const result = await call(raw(GARBAGE), { limits: ROOMY, respond: echo });
    expect(result.stderr).toBe('');
    expect(result).toMatchObject({ status: 'ok', output: 'null:still there' });
    expect(result.stdout.split('\n').slice(0, -1)).toEqual(
      Array.from({ length: 8 }, () => '{"error":"the request was not understood"}'),
    );
  });
}

/** Python that talks to the socket itself. */
function raw(body: string): string {
  return `${MODEL}import base64, json, os, socket
address = os.environ["REPRISE_MODEL_SOCKET"]
def connect(data):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("\\0" + address[1:] if address.startswith("@") else address)
    connection.sendall(data)
    return connection
def process_input(_):
${body.replace(/^(?=.)/gm, '    ')}`;
}

const FLOOD = `line = json.dumps({"prompt": base64.b64encode(b"x").decode(), "system_prompt": None}).encode() + b"\\n"
connections = [connect(line) for _ in range(120)]
replies = [connection.makefile().readline() for connection in connections]
return f"{sum('text' in reply for reply in replies)} replies"`;

const GARBAGE = `connect(b"").close()
connect(b"half a line").close()
connect(b'{"prompt": "eA==", "system_prompt": null}\\n').close()
for data in (
    b"\\n", b"\\xff\\xfe\\n", b"null\\n", b"7\\n", b"[]\\n", b'{"prompt": 1}\\n', b"[" * 100_000 + b"\\n",
    b'{"prompt": "", "system_prompt": null, "nonce": "", "type": "result"\\n',
):
    print(connect(data).makefile().readline(), end="")
try:
    connect(b"x" * 3_000_000)
except OSError:
    pass
return execute_llm("still there")`;
