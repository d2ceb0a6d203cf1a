import type { EnvironmentSource } from '../activities/environment-code.js';
import type { AgentConfig } from '../config/agent-schemas.js';
import { InvalidInputError } from '../config/errors.js';
import type { MemoryConfig } from '../config/memory-schemas.js';
import { CODE_ENDINGS, checkFile } from '../config/named-files.js';
import type { Task } from '../contracts/environment.js';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import { CodePool } from './code-pool.js';
import type { TrialAnswer, TrialAsked } from './trial-thread.js';

/** Seconds that a user's agent has to be loaded and made, and a domain or a bundle's module to be loaded. */
const FILE_SEC = 60;
/** Tasks that a thread is sent at once. */
const BATCH = 500;

export interface TrialOptions {
  /** Milliseconds beyond its time after which a trial's thread is taken for stuck: 5000. */
  grace?: number;
  /** Milliseconds that an agent has to be loaded and made, and a domain or a bundle's module to be loaded: 60,000. */
  fileMs?: number;
  /** The module that the thread runs, as trial-thread.ts is one. */
  thread?: URL;
}

/** A thread in which a user's code is tried before anything is paid. */
function trialPool({ grace, thread }: TrialOptions): CodePool<TrialAsked, TrialAnswer> {
  return new CodePool<TrialAsked, TrialAnswer>({
    thread: thread ?? new URL('./trial-thread.js', import.meta.url),
    what: 'a trial',
    threads: 1,
    tasksAThread: 1,
    ...(grace === undefined ? {} : { grace }),
    stuck: (asked) => refusal(asked, late(asked)),
    ended: (asked, message) => refusal(asked, `ended the thread that it was tried in: ${message}`),
  });
}

async function passes(pool: CodePool<TrialAsked, TrialAnswer>, asked: TrialAsked): Promise<void> {
  const answer = await pool.run(asked);
  if ('passed' in answer) return;
  if ('late' in answer) throw refusal(asked, late(asked));
  if ('refused' in answer) throw new InvalidInputError(answer.refused, answer.field);
  throw new InfrastructureError(answer.failed);
}

async function passesAlone(asked: TrialAsked, options: TrialOptions): Promise<void> {
  const pool = trialPool(options);
  try {
    await passes(pool, asked);
  } finally {
    await pool.close();
  }
}

/**
 * {@link tryAgent}, for a class that computes without end, waits for what never comes or ends its process, too.
 * @throws InvalidInputError
 */
export async function tryAgentApart(
  agent: AgentConfig,
  memory: MemoryConfig,
  { fileMs: timeoutMs = FILE_SEC * 1000, ...options }: TrialOptions = {},
): Promise<void> {
  if (!('file' in agent)) return;
  // What is allowed is known in this thread alone.
  checkFile('agent.file', agent.file as string, 'code', CODE_ENDINGS);
  await passesAlone({ kind: 'agent', agent, memory, timeoutMs }, options);
}

/** Loads a user's domain, from the texts where they are given. @throws InvalidInputError */
export async function tryDomainApart(
  file: string,
  texts?: CodeTexts,
  { fileMs: timeoutMs = FILE_SEC * 1000, ...options }: TrialOptions = {},
): Promise<void> {
  checkFile('domain.file', file, 'code', CODE_ENDINGS);
  await passesAlone({ kind: 'domain', file, texts, timeoutMs }, options);
}

/** Loads a module of a bundle, as {@link ModuleTrial} says. */
export async function tryModuleApart(
  file: string,
  folder: string,
  texts?: CodeTexts,
  { fileMs: timeoutMs = FILE_SEC * 1000, ...options }: TrialOptions = {},
): Promise<string | null> {
  try {
    await passesAlone({ kind: 'module', file, folder, texts, timeoutMs }, options);
    return null;
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
}

/**
 * The tasks as they come, each checked by the user's environment: its class is loaded before the first one is asked for.
 * @throws InvalidInputError
 */
export async function* checkedApart(
  source: EnvironmentSource & { file: string },
  tasks: AsyncIterable<Task>,
  options: TrialOptions = {},
): AsyncGenerator<Task> {
  checkFile('dataset.env_file', source.file, 'code', CODE_ENDINGS);
  const pool = trialPool(options);
  const { timeoutMs } = source;
  const check = (batch: readonly Task[]) =>
    passes(pool, { kind: 'environment', source, tasks: batch, timeoutMs });
  try {
    await check([]);
    for await (const batch of inBatches(tasks)) {
      await check(batch);
      yield* batch;
    }
  } finally {
    await pool.close();
  }
}

async function* inBatches(tasks: AsyncIterable<Task>): AsyncGenerator<Task[]> {
  let batch: Task[] = [];
  for await (const task of tasks) {
    batch.push(task);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function late(asked: TrialAsked): string {
  const seconds = asked.timeoutMs / 1000;
  if (asked.kind === 'agent') return `was not loaded, and its class not made, within ${seconds} s`;
  if (asked.kind !== 'environment') return `was not loaded within ${seconds} s`;
  const [first, last] = [asked.tasks[0], asked.tasks.at(-1)];
  const what =
    first === undefined || last === undefined
      ? 'was not loaded'
      : `did not make and validate the environments of samples ${first.id} to ${last.id}`;
  return `${what} within ${seconds} s (dataset.env_timeout_sec)`;
}

/** The field of the config that names the file, and the file. */
function named(asked: Exclude<TrialAsked, { kind: 'module' }>): { field: string; file: unknown } {
  switch (asked.kind) {
    case 'agent':
      return { field: 'agent.file', file: (asked.agent as { file?: unknown }).file };
    case 'domain':
      return { field: 'domain.file', file: asked.file };
    case 'environment':
      return { field: 'dataset.env_file', file: asked.source.file };
  }
}

function refusal(asked: TrialAsked, what: string): InvalidInputError {
  // A bundle names it in its own way.
  if (asked.kind === 'module') return new InvalidInputError(what);
  const { field, file } = named(asked);
  return new InvalidInputError(`${field}: ${file} ${what}`, field);
}
