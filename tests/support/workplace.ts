import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { ResultRow } from '../../src/contracts/results.js';
import type { Repeats } from '../../src/contracts/step-cost.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import { signOfLife } from '../../src/workers/folder-lock.js';
import { freePort } from '../../src/workers/free-port.js';
import type { FakeProvider } from './fake-providers/fake-provider.js';

/** The built command line, which is what a user runs. */
export const COMMAND = resolve('dist/cli/main.js');
const WAIT_STEP_MS = 50;

export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A command in progress. */
export interface Running {
  process: ChildProcess;
  output(): string;
  done: Promise<Outcome>;
}

/** Waits until a condition holds; says what was awaited where it never does. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s in vain until ${what}`);
    await sleep(WAIT_STEP_MS);
  }
}

/** The same of what a command that continues does; says what it printed where it ends first. */
export function untilIn(
  running: Running,
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs?: number,
): Promise<void> {
  const holdsInIt = () => {
    if (running.process.exitCode !== null) throw new Error(`it ended before ${what}: ${running.output()}`);
    return holds();
  };
  return until(what, holdsInIt, timeoutMs);
}

/** A free port that nobody is given by chance. */
export function ownPort(): Promise<number> {
  const [lowest, count] = [15_000, 10_000];
  return freePort(...Array.from({ length: 20 }, () => lowest + randomInt(count)));
}

/** A user's folder: commands run in it, with an embedded server of its own. */
export class Workplace {
  private readonly started: ChildProcess[] = [];
  private readonly clients: Connection[] = [];

  private constructor(
    readonly folder: string,
    readonly environment: Record<string, string>,
  ) {}

  /**
   * @param options.keepsServer whether a server that a command started continues until the end, for the commands that follow: a
   * start costs a second of processor time. Otherwise the last command in progress ends it, as it does at a user's.
   */
  static async make(
    environment: Record<string, string> = {},
    { keepsServer = true } = {},
  ): Promise<Workplace> {
    const place = new Workplace(await mkdtemp(join(tmpdir(), 'reprise-work-')), environment);
    // As if a server had run here before. Of those that prefer the usual port, the next one to start would take it from
    // one that a test has killed, and whose command is about to start it again.
    const record = { pid: 0, port: await ownPort(), ui_port: await ownPort(), namespace_id: '' };
    await place.write('.reprise/server.json', JSON.stringify(record));
    if (keepsServer) await place.write(`.reprise/users/${process.pid}`, signOfLife(0));
    return place;
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  async write(name: string, content: string | object): Promise<string> {
    const path = this.path(name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : stringify(content));
    return path;
  }

  /** Starts `reprise …` in this folder. */
  start(args: string[], environment: Record<string, string> = {}): Running {
    return this.startProgram(process.execPath, [COMMAND, ...args], environment);
  }

  startProgram(program: string, args: string[], environment: Record<string, string> = {}): Running {
    const child = spawn(program, args, {
      cwd: this.folder,
      env: {
        ...withoutSettings(process.env),
        REPRISE_SERVER_DIR: this.path('.reprise'),
        REPRISE_STATE_DIR: this.path('.reprise', 'named'),
        ...this.environment,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.started.push(child);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (data) => {
      stdout += data;
    });
    child.stderr?.on('data', (data) => {
      stderr += data;
    });
    const done = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }) as Outcome);
    return { process: child, output: () => stdout + stderr, done };
  }

  /** Runs `reprise …` to its end. */
  reprise(args: string[], environment: Record<string, string> = {}): Promise<Outcome> {
    return this.start(args, environment).done;
  }

  /** Starts `reprise dev` and waits until it works. */
  async dev(environment: Record<string, string> = {}): Promise<Running> {
    const running = this.start(['dev'], environment);
    await untilIn(running, 'reprise dev is up', () => running.output().includes('Ctrl-C ends'));
    return running;
  }

  /** Starts `reprise worker` and waits until it works. */
  async worker(environment: Record<string, string> = {}): Promise<Running> {
    const running = this.start(['worker'], environment);
    await untilIn(running, 'the worker works', () => running.output().includes('Working on'));
    return running;
  }

  /** What the embedded server's record says, without a `namespace_id` until it is up; null where none was started. */
  async server(): Promise<{ pid: number; port: number; namespace_id: string } | null> {
    const text = await readFile(this.path('.reprise', 'server.json'), 'utf8').catch(() => null);
    const record = text === null ? null : JSON.parse(text);
    return record === null || record.pid === 0 ? null : record;
  }

  /** The processes that have written down that they use the embedded server, but for this one. */
  async users(): Promise<number[]> {
    const names = await readdir(this.path('.reprise', 'users')).catch(() => []);
    return names.map(Number).filter((pid) => pid !== process.pid);
  }

  /** Ends the embedded server as a power cut would, and waits until whoever works with it has started it again. */
  async killServer(): Promise<void> {
    const { pid } = (await this.server()) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await until('another server is up', async () => {
      const record = await this.server();
      return record !== null && record.pid !== pid && record.namespace_id !== '';
    });
  }

  /** A command of the Temporal CLI, against this place's server. */
  async temporal(...args: string[]): Promise<Outcome> {
    const binary = process.env.REPRISE_TEMPORAL_BIN as string;
    return this.startProgram(binary, [...args, '--address', await this.address(), '--output', 'json']).done;
  }

  /** Starts a workflow by the Temporal CLI alone. */
  startWorkflow(type: string, id: string, ...input: string[]): Promise<Outcome> {
    const what = ['--task-queue', 'reprise', '--type', type, '--workflow-id', id];
    return this.temporal('workflow', 'start', ...what, ...input);
  }

  async address(): Promise<string> {
    const { TEMPORAL_ADDRESS } = this.environment;
    if (TEMPORAL_ADDRESS !== undefined) return TEMPORAL_ADDRESS;
    await until('the server has a record', async () => (await this.server()) !== null);
    return `127.0.0.1:${(await this.server())?.port}`;
  }

  /** A plain client, with none of Reprise's own wiring. */
  async client(): Promise<Client> {
    const connection = await Connection.connect({ address: await this.address() });
    this.clients.push(connection);
    return new Client({ connection });
  }

  /** Ends a command as a power cut would. */
  async kill(running: Running): Promise<void> {
    running.process.kill('SIGKILL');
    await running.done;
  }

  /** Kills a command each time that the provider has given so many replies, starts it again, and lets it end. */
  async killedAfter(
    replies: readonly number[],
    command: string[],
    provider: FakeProvider,
    latencyMs = 300,
  ): Promise<Outcome> {
    provider.latencyMs = latencyMs;
    const { finished } = provider.statistics;
    for (const count of replies) {
      const running = this.start(command);
      await until('replies are given', () => provider.statistics.finished >= finished + count);
      await this.kill(running);
    }
    provider.latencyMs = 0;
    return this.reprise(command);
  }

  async metrics(experiment: string): Promise<Metrics> {
    return JSON.parse(await readFile(this.path('results', experiment, 'metrics.json'), 'utf8'));
  }

  rows(experiment: string): Promise<ResultRow[]> {
    return readLines(this.path('results', experiment, 'results.jsonl'));
  }

  calls(experiment: string): Promise<CallRecord[]> {
    return readLines(this.path('results', experiment, 'calls.jsonl'));
  }

  /** Ends the workers in the background, which would start the server again. */
  private async killUsers(): Promise<void> {
    for (const pid of await this.users()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }

  /** Ends everything that was started here, the server included, and removes the folder. */
  async dispose(): Promise<void> {
    for (const connection of this.clients) await connection.close().catch(() => undefined);
    for (const child of this.started) {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      }
    }
    await this.killUsers();
    const server = await this.server();
    if (server !== null) {
      try {
        process.kill(server.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
      await until('the server is gone', () => !existsSync(`/proc/${server.pid}`), 10_000);
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function readLines<Row>(path: string): Promise<Row[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** What has been written down below a folder by now, an object a file, by its path. A file in the making is none. */
export async function readRecords<Stored>(folder: string): Promise<Map<string, Stored>> {
  const names = await readdir(folder, { recursive: true });
  const found = names.filter((name) => name.endsWith('.json'));
  return new Map(
    await Promise.all(
      found.map(
        async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8')) as Stored] as const,
      ),
    ),
  );
}

/** The tests decide about servers, keys and stores, not the shell they were started from. */
function withoutSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const own =
      /^(TEMPORAL_|AWS_|S3_|HF_|OPENAI_|ANTHROPIC_|GEMINI_|GOOGLE_|REPRISE_(?!TEMPORAL_BIN|CACHE_DIR|CACHED_WORKFLOWS))/;
    if (value !== undefined && !own.test(name) && !name.startsWith('VITEST') && name !== 'NODE_ENV') {
      kept[name] = value;
    }
  }
  return kept;
}

/** Rows without times, which differ between two runs of the same experiment. */
export function timeless(rows: ResultRow[]): object[] {
  return rows.map(({ started_at: _at, seconds: _seconds, ...row }) => row);
}

/** Requests that a crash cut off, or may have cut off. */
export function cutOffIn({ lm_calls_repeated, lm_calls_maybe_repeated = 0 }: Repeats): number {
  return lm_calls_repeated + lm_calls_maybe_repeated;
}

type OfTheMoment = 'wall_seconds' | 'started_at' | 'ended_at' | 'unrecorded' | keyof Repeats;

/** Metrics without times and without what a crash may repeat. */
export function timelessMetrics<Figures extends Pick<Metrics, OfTheMoment>>(
  metrics: Figures,
): Omit<Figures, OfTheMoment> {
  const {
    wall_seconds: _wall,
    started_at: _started,
    ended_at: _ended,
    lm_calls_repeated: _repeated,
    lm_calls_maybe_repeated: _maybe,
    unrecorded: _unrecorded,
    ...rest
  } = metrics;
  return rest;
}

/** Questions `what is a + b?` that the fake provider answers right. */
export function additions(count: number): { id: string; question: string; answer: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `sum-${index}`,
    question: `What is ${index} + ${index * 7}?`,
    answer: String(index * 8),
  }));
}

/** A config whose model is a fake provider. */
export function sumsConfig(baseUrl: string, count: number, more: Record<string, unknown> = {}): object {
  const { runtime, lm, dataset, ...rest } = more as Record<string, Record<string, unknown> | undefined>;
  return {
    name: 'sums',
    runtime: { memory_scope: 'sample', concurrency: 8, ...runtime },
    dataset: {
      items: additions(count),
      task_type: 'numeric',
      input_field: 'question',
      target_field: 'answer',
      id_field: 'id',
      ...dataset,
    },
    lm: { model: 'openai/fake', base_url: baseUrl, ...lm },
    agent: { type: 'history_agent', history_k: 0 },
    output: { results_dir: 'results' },
    ...rest,
  };
}

/** A printed table with the cells that continue below in one line. */
export function unfolded(table: string): string {
  return table.replace(/ +│\n│ +│ /g, ' ');
}
