import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND } from '../paths.js';
import type { BenchFolder } from '../workspace.js';

/** Nothing measured here takes longer, unless it hangs. */
const LONGEST = 20 * 60_000;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Seconds from its start to its end. */
  seconds: number;
}

/** A program in progress. */
export interface Program {
  pid: number;
  output(): string;
  finished: Promise<Finished>;
  signal(signal: NodeJS.Signals): void;
}

export function startProgram(
  program: string,
  args: readonly string[],
  { folder, environment }: Pick<BenchFolder, 'folder' | 'environment'>,
): Program {
  const started = performance.now();
  const child: ChildProcess = spawn(program, args, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const deadline = setTimeout(() => child.kill('SIGKILL'), LONGEST);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  let seconds = 0;
  child.once('exit', () => {
    seconds = (performance.now() - started) / 1000;
  });
  // 'close' rather than 'exit': only then is everything read.
  const finished = once(child, 'close').then(([code]) => {
    clearTimeout(deadline);
    return { code: code as number | null, stdout, stderr, seconds };
  });
  return {
    pid: child.pid as number,
    output: () => stdout + stderr,
    finished,
    signal: (signal) => void child.kill(signal),
  };
}

/** Starts `reprise …` from the build. */
export function startReprise(args: readonly string[], workspace: BenchFolder): Program {
  return startProgram(process.execPath, [COMMAND, ...args], workspace);
}

/** The last lines of what a program said. */
function lastWords(program: Program): string {
  return program.output().trim().split('\n').slice(-5).join('\n').slice(-1000);
}

/** @throws Error with the end of what the program said, where it did not end with 0. */
export async function success(what: string, program: Program): Promise<Finished> {
  const finished = await program.finished;
  if (finished.code !== 0) {
    throw new Error(`${what} ended with ${finished.code}: ${lastWords(program)}`);
  }
  return finished;
}

/** Waits until a condition holds. @throws Error that says what was awaited. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { timeout = 60_000, interval = 20 } = {},
): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeout / 1000} s in vain until ${what}`);
    await sleep(interval);
  }
}

/** Starts `reprise worker`, with the workspace's server where that does not run, and waits until it works. */
export async function startWorker(workspace: BenchFolder): Promise<Program> {
  const worker = startReprise(['worker'], workspace);
  let ended = false;
  void worker.finished.then(() => {
    ended = true;
  });
  await until(
    'the worker works',
    () => {
      if (ended) throw new Error(`the worker ended: ${lastWords(worker)}`);
      return worker.output().includes('Working on');
    },
    { timeout: 600_000 },
  );
  return worker;
}

/** Ends a worker in order, and with it a server that it is the last user of. */
export async function stopWorker(worker: Program): Promise<void> {
  worker.signal('SIGTERM');
  await worker.finished;
}

/** Starts the run of a folder without a worker of its own: to the command, the server looks like someone else's. */
export async function startDetached(place: BenchFolder, address: string): Promise<void> {
  const environment = { ...place.environment, TEMPORAL_ADDRESS: address };
  const args = ['run', place.config, '--detach', '--json'];
  await success('reprise run --detach', startReprise(args, { ...place, environment }));
}
