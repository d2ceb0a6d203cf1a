import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ExecutionResult, ExecutionStatus } from '../contracts/execution.js';
import { hostError, metFullDisk } from './host-disk.js';
import { ModelRequests } from './model-requests.js';
import { ModelSocket } from './model-socket.js';
import { ProcessGroup } from './process-group.js';
import { diedOfMemory, interpreterArguments } from './process-limits.js';
import { checkFunctionProgram, checkProgram } from './program-files.js';
import { callResult, maximumReturnedBytes } from './returned-text.js';
import { type CapturedText, capturedText, outputBytes, type ProgramOutcome } from './runner-protocol.js';
import {
  type CallResult,
  type ExecutionOptions,
  type FunctionCallOptions,
  type FunctionProgram,
  type FunctionSandbox,
  KilledError,
  type Program,
  SandboxError,
} from './sandbox.js';
import { LATE, settle } from './settle.js';

/** Milliseconds that processes which left an ended program's group may hold its output open. */
const CLOSE_TIMEOUT_MS = 500;
const CALLER = fileURLToPath(new URL('../../docker/scaffold-runner/call_function.py', import.meta.url));
const PREPARE_TIMEOUT_MS = 30_000;
const ADVICE = 'Install Python 3.9 or newer, or name its interpreter in REPRISE_PYTHON.';

export interface ProcessSandboxDependencies {
  /** Environment: `REPRISE_PYTHON` (default: `python3`) and `PATH`. A program gets only `PATH`. */
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates a sandbox that runs programs with this machine's Python, for code that you trust only. It does not isolate: a
 * program runs as your user, may read and change your files, and has your network. It gets its own folder, an
 * environment without your keys, and the limits that the system supports: time, output, memory and CPU time of each of
 * its processes, the size of a file. `cpus` and `pids` are not enforced, and a process that leaves its group survives.
 */
export function processSandbox(dependencies: ProcessSandboxDependencies): FunctionSandbox {
  return new ProcessSandbox(dependencies);
}

/** Beginning of a stream, up to a limit in bytes; the rest is read and dropped. */
class CapturedOutput {
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  overflowed = false;

  constructor(
    stream: Readable,
    limit: number,
    /** Called once, when the stream exceeds the limit. */
    onOverflow: () => void,
  ) {
    stream.on('data', (chunk: Buffer) => {
      const room = limit - this.kept;
      if (chunk.length > room && !this.overflowed) {
        this.overflowed = true;
        onOverflow();
      }
      if (room <= 0) return;
      const part = chunk.subarray(0, room);
      this.chunks.push(part);
      this.kept += part.length;
    });
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

class ProcessSandbox implements FunctionSandbox {
  readonly type = 'process';
  private readonly python: string;
  private readonly running = new Set<ProcessGroup>();
  private closed = false;

  constructor(private readonly dependencies: ProcessSandboxDependencies) {
    this.python = dependencies.environment.REPRISE_PYTHON || 'python3';
  }

  async prepare(): Promise<void> {
    const check = 'import resource, sys; sys.exit(sys.version_info < (3, 9))';
    const group = this.start(['-I', '-c', check], tmpdir());
    try {
      const code = await settle(this.exitOf(group), PREPARE_TIMEOUT_MS);
      if (code !== 0) throw new SandboxError(`${this.python} is no Python 3.9 or newer. ${ADVICE}`, false);
    } finally {
      this.end(group);
    }
  }

  async run(program: Program, options: ExecutionOptions): Promise<ExecutionResult> {
    checkProgram(program);
    options.signal?.throwIfAborted();
    const { result } = await this.inFolder(program.files, (folder) =>
      this.runIn(folder, { arguments: [program.main], input: program.input ?? '' }, options),
    );
    return result;
  }

  async call(program: FunctionProgram, options: FunctionCallOptions): Promise<CallResult> {
    checkFunctionProgram(program);
    const { limits, signal } = options;
    signal?.throwIfAborted();
    const ending = new AbortController();
    const abort = () => ending.abort(signal?.reason);
    const requests = new ModelRequests(options, (reason) => ending.abort(reason));
    const socket = await ModelSocket.listen(requests);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    // Its result goes to descriptor 3.
    const command = { arguments: [CALLER, program.module, program.function, '3'], input: program.input };
    try {
      const { result, returned } = await this.inFolder(program.files, (folder) =>
        this.runIn(folder, { ...command, socket, requests }, { limits, signal: ending.signal }),
      );
      return callResult(program, result, returned, limits);
    } finally {
      signal?.removeEventListener('abort', abort);
      await requests.end();
      await socket.close();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const group of this.running) this.end(group);
  }

  private async inFolder<Result>(
    files: Program['files'],
    action: (folder: string) => Promise<Result>,
  ): Promise<Result> {
    const folder = await mkdtemp(join(tmpdir(), 'reprise-code-'))
      .then((made) => realpath(made))
      .catch((error) => {
        throw hostError(error);
      });
    try {
      await writeFiles(folder, files);
      return await action(folder);
    } finally {
      // A program may have locked its own folders; they stay with the temporary files.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    }
  }

  private async runIn(folder: string, command: Command, options: ExecutionOptions): Promise<ProgramOutcome> {
    const { limits, signal } = options;
    const limit = outputBytes(limits);
    const group = this.start(interpreterArguments(command.arguments, limits), folder, command.socket);
    const { child } = group;
    const captured = [child.stdout, child.stderr].map(
      (stream) => new CapturedOutput(stream, limit, () => group.kill()),
    );
    const returned =
      group.result && new CapturedOutput(group.result, maximumReturnedBytes(limits), () => group.kill());
    try {
      const started = performance.now();
      command.requests?.start();
      // A program need not read its input.
      child.stdin.on('error', () => {}).end(command.input);
      const exit = await settle(this.exitOf(group), limits.timeout_sec * 1000, signal);
      const seconds = (performance.now() - started) / 1000;
      if (exit !== LATE) this.checkEnding(group);
      group.kill();
      await settle(group.closed, CLOSE_TIMEOUT_MS);
      const overflowed = [...captured, returned].some((output) => output?.overflowed);
      const [stdout, stderr] = captured.map((output) =>
        capturedText(output.bytes(), limit, output.overflowed),
      ) as [CapturedText, CapturedText];
      const result = {
        status: exit === LATE ? 'timeout' : overflowed ? 'output_limit' : statusOf(exit, stderr.text),
        stdout: stdout.text,
        stderr: stderr.text,
        // A program that wrote too much may have ended before it was killed.
        exit_code: exit === LATE || overflowed ? null : exit,
        truncated: stdout.truncated || stderr.truncated,
        seconds,
      } as const;
      if (await metFullDisk(folder, result, limits)) {
        throw new SandboxError(
          `the disk of this machine is full: ${result.stderr.trim().split('\n').at(-1)}`,
          true,
        );
      }
      return withFixedName(folder, { result, returned: returned?.bytes() ?? new Uint8Array() });
    } finally {
      this.end(group);
    }
  }

  /** @throws SandboxError if the program was ended neither by itself nor by its own limits. */
  private checkEnding({ killedByOthers, child }: ProcessGroup): void {
    if (this.closed && child.signalCode === 'SIGKILL') throw new SandboxError('the sandbox is closed', true);
    if (killedByOthers) {
      throw new KilledError(
        'the program was killed from outside (SIGKILL): this machine may have run out of memory, or may limit ' +
          'processor time; where the program killed itself, `sandbox: docker` can tell',
        true,
      );
    }
  }

  private start(args: string[], folder: string, socket?: ModelSocket): ProcessGroup {
    const env = {
      PATH: this.dependencies.environment.PATH ?? '',
      HOME: folder,
      TMPDIR: folder,
      LANG: 'C.UTF-8',
      // The order of a set of strings is the same in every execution.
      PYTHONHASHSEED: '0',
      ...(socket && { REPRISE_MODEL_SOCKET: socket.path }),
    };
    const hasResult = socket !== undefined;
    try {
      const group = new ProcessGroup(this.python, args, { cwd: folder, env, hasResult });
      this.running.add(group);
      return group;
    } catch (error) {
      throw this.startError(error);
    }
  }

  private end(group: ProcessGroup): void {
    group.kill();
    this.running.delete(group);
    // Otherwise a process that left the group could hold them open.
    const { stdin, stdout, stderr } = group.child;
    for (const stream of [stdin, stdout, stderr, group.result]) stream?.destroy();
  }

  private async exitOf(group: ProcessGroup): Promise<number | null> {
    try {
      return await group.exit;
    } catch (error) {
      throw this.startError(error);
    }
  }

  private startError(error: unknown): SandboxError {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? `was not found. ${ADVICE}` : `cannot be started: ${message}`;
    // Other errors, such as too many processes or open files, may be temporary.
    return new SandboxError(`${this.python} ${problem}`, code !== 'ENOENT', { cause: error });
  }
}

interface Command {
  arguments: string[];
  input: string;
  /** Socket for model requests, if allowed; the result then goes to descriptor 3. */
  socket?: ModelSocket;
  requests?: ModelRequests;
}

/** Name of the program's folder in its outputs, the same as in a container. */
const FIXED_NAME = '/work';

/**
 * Replaces the random name of the program's folder in an outcome, such as in tracebacks: the logs and prompts of a
 * repeated run must be the same.
 */
function withFixedName(folder: string, { result, returned }: ProgramOutcome): ProgramOutcome {
  const bytes = (text: Uint8Array) => Buffer.from(text).toString('latin1');
  const own = bytes(Buffer.from(folder));
  return {
    result: {
      ...result,
      stdout: result.stdout.replaceAll(folder, FIXED_NAME),
      stderr: result.stderr.replaceAll(folder, FIXED_NAME),
    },
    // Byte by byte, since it may not be UTF-8.
    returned: Buffer.from(bytes(returned).replaceAll(own, FIXED_NAME), 'latin1'),
  };
}

async function writeFiles(folder: string, files: Program['files']): Promise<void> {
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
  } catch (error) {
    throw hostError(error);
  }
}

function statusOf(exitCode: number | null, stderr: string): ExecutionStatus {
  if (exitCode === 0) return 'ok';
  return diedOfMemory(exitCode, stderr) ? 'out_of_memory' : 'error';
}
