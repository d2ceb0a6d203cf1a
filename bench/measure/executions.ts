import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { DockerSandbox } from '../../src/sandboxes/docker-sandbox.js';
import type { FunctionCallOptions, FunctionProgram } from '../../src/sandboxes/sandbox.js';
import { builtModule } from '../paths.js';
import { type Spread, spreadOf } from './spread.js';

/** Seconds an execution on average, of each repetition. */
interface ExecutionsAtOnce {
  concurrency: number;
  docker_run: number[];
  sandbox: number[];
}

export interface ExecutionsResult {
  /** Executions of each repetition. */
  executions: number;
  at_once: ExecutionsAtOnce[];
  /** Seconds from the caller's call to the result, where a container waits. */
  warm: Spread;
  /** Seconds from the caller's call to the program's first request, as the caller hears it, where a container waits. */
  first_word: Spread;
}

/** Why nothing was measured. */
export interface ExecutionsSkipped {
  skipped: string;
}

const CONCURRENCIES = [1, 4] as const;
/** A container that waits is started by then, on a machine that is not overloaded. */
const PAUSE_MS = 2_000;

const LIMITS = { timeout_sec: 60, memory_mb: 256, cpus: 1, pids: 64, output_kb: 64, tmpfs_mb: 16 };
const INPUT = 'a few words to be put in order';
const ANSWER = 'a be few in order put to words';
const PROGRAM = 'import sys\ndef process_input(text):\n    return " ".join(sorted(text.split()))\n';

/** The command with the sandbox's settings: the same isolation, image and program. */
function dockerArguments(image: string): string[] {
  const memory = `${LIMITS.memory_mb}m`;
  return [
    ...['run', '--rm', '--interactive', '--network', 'none', '--read-only', '--user', '65534:65534'],
    ...['--tmpfs', `/work:size=${LIMITS.tmpfs_mb}m,mode=0777`, '--workdir', '/work', '--shm-size', '1m'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--log-driver', 'none'],
    ...['--memory', memory, '--memory-swap', memory, '--cpus', `${LIMITS.cpus}`],
    ...['--pids-limit', `${LIMITS.pids}`, '--entrypoint', 'python3', image, '-u', '-B', '-X', 'utf8', '-c'],
    `${PROGRAM}print(process_input(sys.stdin.read()))`,
  ];
}

async function dockerRun(image: string): Promise<void> {
  const running = promisify(execFile)('docker', dockerArguments(image));
  running.child.stdin?.end(INPUT);
  const { stdout } = await running;
  if (stdout !== `${ANSWER}\n`) throw new Error(`docker run printed ${JSON.stringify(stdout)}`);
}

/** Seconds an execution of `count` of them, some at once. */
async function timed(count: number, concurrency: number, execute: () => Promise<void>): Promise<number> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await execute();
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (performance.now() - started) / 1000 / count;
}

/** Both take turns, each first in every other round, so that a slow spell of the machine strikes both. */
async function compare(
  { executions, repetitions }: { executions: number; repetitions: number },
  contestants: { docker_run: () => Promise<void>; sandbox: () => Promise<void> },
): Promise<ExecutionsAtOnce[]> {
  const results = CONCURRENCIES.map(
    (concurrency): ExecutionsAtOnce => ({ concurrency, docker_run: [], sandbox: [] }),
  );
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const order =
      repetition % 2 === 0 ? (['docker_run', 'sandbox'] as const) : (['sandbox', 'docker_run'] as const);
    for (const result of results) {
      for (const name of order) {
        // As in the middle of a longer run.
        await timed(2 * result.concurrency, result.concurrency, contestants[name]);
        result[name].push(await timed(executions, result.concurrency, contestants[name]));
      }
    }
  }
  return results;
}

function connect(sandbox: DockerSandbox, files: Readonly<Record<string, string>>): Call {
  const program: FunctionProgram = { files, module: 'scaffold', function: 'process_input', input: INPUT };
  return async (heard = () => {}) => {
    const options: FunctionCallOptions = {
      limits: LIMITS,
      respond: null,
      resources: () => {
        heard();
        return { calls: 0, usd: null };
      },
    };
    const { output, status, stderr } = await sandbox.call(program, options);
    if (output !== ANSWER) throw new Error(`an execution ended with ${status}: ${stderr}`);
  };
}

type Call = (heard?: () => void) => Promise<void>;

/** How long programs that find a container waiting take until they are heard of, or until their results are there. */
async function whereOneWaits(call: Call, until: 'heard' | 'result', count: number): Promise<Spread> {
  const seconds: number[] = [];
  // The second of two calls shortly after each other has the first container started ahead.
  await call();
  await call();
  for (let number = 0; number < count; number++) {
    await sleep(PAUSE_MS);
    const started = performance.now();
    const note = () => void seconds.push((performance.now() - started) / 1000);
    if (until === 'heard') await call(note);
    else await call().then(note);
  }
  return spreadOf(seconds);
}

/** Executions in the sandbox beside `docker run` of the same program. Without a daemon: the reason, in a sentence. */
export async function measureExecutions({
  executions,
  repetitions,
}: {
  executions: number;
  repetitions: number;
}): Promise<ExecutionsResult | ExecutionsSkipped> {
  const { dockerSandbox } = await builtModule<typeof import('../../src/sandboxes/docker-sandbox.js')>(
    'sandboxes/docker-sandbox.js',
  );
  const { DockerDaemon } = await builtModule<typeof import('../../src/sandboxes/docker-daemon.js')>(
    'sandboxes/docker-daemon.js',
  );
  const { provideRunnerImage } =
    await builtModule<typeof import('../../src/sandboxes/runner-image.js')>('sandboxes/runner-image.js');
  const { scaffoldSupport } = await builtModule<typeof import('../../src/sandboxes/scaffold-support.js')>(
    'sandboxes/scaffold-support.js',
  );
  const sandbox = dockerSandbox({ environment: process.env });
  try {
    await sandbox.prepare();
    await promisify(execFile)('docker', ['version']);
  } catch (error) {
    await sandbox.close();
    return { skipped: (error as Error).message.split('\n')[0] as string };
  }
  try {
    const { client } = new DockerDaemon(process.env);
    const image = await provideRunnerImage(client, process.env, () => {});
    const quiet = connect(sandbox, { 'scaffold.py': PROGRAM });
    const speaking = connect(sandbox, {
      'scaffold.py': `import llm_executor\nllm_executor.resources()\n${PROGRAM}`,
      ...(await scaffoldSupport()),
    });
    const at_once = await compare(
      { executions, repetitions },
      { docker_run: () => dockerRun(image), sandbox: () => quiet() },
    );
    const count = 3 + 2 * repetitions;
    const warm = await whereOneWaits(quiet, 'result', count);
    return { executions, at_once, warm, first_word: await whereOneWaits(speaking, 'heard', count) };
  } finally {
    await sandbox.close();
  }
}
