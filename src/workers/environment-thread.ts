import { once } from 'node:events';
import { MessageChannel, type MessagePort, parentPort } from 'node:worker_threads';
import {
  type EnvironmentSource,
  type LoadClass,
  loadingOnce,
  type Playable,
  playableHere,
} from '../activities/environment-code.js';
import { Lru } from '../activities/lru.js';
import { InvalidInputError } from '../config/errors.js';
import type { Task } from '../contracts/environment.js';
import type { Json } from '../contracts/json.js';
import { asError } from '../contracts/run-user-code.js';
import { ComparisonUnavailableError, GradingLimitError, type SymbolicComparer } from '../grading/grade.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import type { PooledTask, TaskBegun } from './code-pool.js';
import type { Late } from './fair-pool.js';
import { inTime } from './in-time.js';

export type EnvironmentMove = { kind: 'reset' } | { kind: 'step'; state: Json; action: string };

/** What a thread is asked to do. */
export type EnvironmentAsked = {
  /** The run: its class is loaded once. */
  run: string;
  source: EnvironmentSource;
  /** Of the class's file, as the run began with it. */
  texts: CodeTexts | undefined;
  task: Task;
  timeoutMs: number;
} & EnvironmentMove;

/** Sent by a thread that wants two expressions compared, which is done where the maths library has its bounds. */
export interface WantedComparison {
  left: string;
  right: string;
  tolerance: number | undefined;
  /** Where a {@link ComparedThere} is awaited. */
  answer: MessagePort;
}

/** An error's class does not survive the way to another thread. Of what is unavailable, why. */
export type ComparedThere =
  | { value: boolean | undefined }
  | { failure: 'limit' | 'unavailable'; message: string };

export type EnvironmentAnswer =
  /** JSON, as it goes into files and histories. */
  | { outcome: string }
  | { failure: 'unavailable' | 'input' | 'other'; message: string; field?: string | undefined };

/** Runs whose class a thread holds. */
const RUNS = 16;

const classes = new Lru<string, LoadClass>(RUNS);

function classOf({ run, texts }: EnvironmentAsked): LoadClass {
  let load = classes.get(run);
  if (load === undefined) {
    load = loadingOnce(texts);
    classes.set(run, load);
  }
  return load;
}

/** Has expressions compared by whoever waits for a task. */
function comparer(port: MessagePort): SymbolicComparer {
  return async (left, right, tolerance) => {
    const { port1: ours, port2: answer } = new MessageChannel();
    const answered = once(ours, 'message') as Promise<[ComparedThere]>;
    port.postMessage({ left, right, tolerance, answer } satisfies WantedComparison, [answer]);
    const [compared] = await answered;
    ours.close();
    if ('value' in compared) return compared.value;
    const { failure, message } = compared;
    throw failure === 'limit' ? new GradingLimitError(message) : new ComparisonUnavailableError(message);
  };
}

/** The message of what made a comparison impossible, without our own words around it. */
export function reasonOf({ cause }: ComparisonUnavailableError): string {
  return asError(cause).message;
}

function failureOf(thrown: unknown): EnvironmentAnswer {
  const error = asError(thrown);
  const { message } = error;
  if (error instanceof ComparisonUnavailableError)
    return { failure: 'unavailable', message: reasonOf(error) };
  if (error instanceof InvalidInputError) return { failure: 'input', message, field: error.field };
  return { failure: 'other', message };
}

async function play(asked: EnvironmentAsked, environment: Playable): Promise<unknown> {
  return asked.kind === 'reset' ? environment.begin() : environment.step(asked.state, asked.action);
}

/** Entry of a thread that runs own environments; see environment-pool.ts. Never throws. */
export default async function run(asked: PooledTask<EnvironmentAsked>): Promise<EnvironmentAnswer | Late> {
  parentPort?.postMessage({ begun: asked.id } satisfies TaskBegun);
  const { port, timeoutMs } = asked;
  try {
    const environment = playableHere(classOf(asked), asked, comparer(port));
    return await inTime(async () => ({ outcome: JSON.stringify(await play(asked, environment)) }), timeoutMs);
  } catch (error) {
    return failureOf(error);
  } finally {
    port.close();
  }
}
