import type { Client, WorkflowHandle } from '@temporalio/client';
import { askProgress, endedOf, follow, QUERY_TIMEOUT, untilEnded } from '../client/follow.js';
import { OwnNotices } from '../client/own-notices.js';
import { seldom } from '../client/seldom.js';
import { callSlots, openSession, type Session } from '../client/session.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { Ended, KindFacts } from '../facts/kind-facts.js';
import type { Display } from './display.js';
import { EXIT } from './exit.js';
import { exitOf } from './exit-code.js';
import { interruption } from './interruption.js';
import { printJson, printText, sayText } from './print.js';

/** An experiment that a command starts and follows to its end. */
export interface CarriedOut<State, Result> {
  facts: KindFacts;
  /** The command that continues the experiment, if not the given one. */
  continuedBy?: string;
  /** Number of concurrent operations. */
  concurrency: number;
  display: Display<State>;
  /** @returns the sentences to print, first one such as `Started NAME`. */
  start(
    client: Client,
    taskQueue: string,
  ): Promise<{ id: string; handle: WorkflowHandle; says: readonly [string, ...string[]] }>;
  /** Derives the state to show at the end from the result; without it, the workflow is queried. */
  lastState?(result: Result): State;
  /** Formats the result for people. */
  report(result: Result): string;
  json: boolean;
  /** The largest share of errors with which the command succeeds; null or absent: any. */
  maxErrors?: number | null;
}

/** Runs an experiment to its end with a worker in this process, and returns the exit code. */
export async function carryOut(experiment: CarriedOut<unknown, Ended>): Promise<number> {
  const { report, json } = experiment;
  const print = (result: Ended) => (json ? printJson(result) : printText(report(result)));
  const result = await carryingOut(experiment, (carry) => carry(experiment, print));
  return result === null ? EXIT.interrupted : sayExit(result.metrics, experiment);
}

/** Prints why a command does not succeed where the result does not show that, and returns its exit code. */
export function sayExit(
  metrics: ExperimentMetrics,
  { facts, maxErrors }: Pick<CarriedOut<never, never>, 'facts' | 'maxErrors'>,
): number {
  const { code, why } = exitOf(metrics, facts, maxErrors);
  if (why !== null) sayText(why);
  return code;
}

/**
 * Runs an experiment to its end.
 * @returns its result; null where it was interrupted, which is printed.
 */
export type Carry = <State, Result>(
  experiment: CarriedOut<State, Result>,
  print: (result: Result) => void,
) => Promise<Result | null>;

/** Runs experiments to their ends one after another, with one worker in this process. */
export async function carryingOut<Value>(
  first: Pick<CarriedOut<never, never>, 'concurrency' | 'display'>,
  work: (carry: Carry) => Promise<Value>,
): Promise<Value> {
  let display: Pick<Display<never>, 'say'> = first.display;
  const say = (message: string) => display.say(message);
  const notices = new OwnNotices(seldom(say));
  const session = await openSession({
    say,
    received: (message, workflow) => notices.received(message, workflow),
    isOwn: (workflow) => notices.isOwn(workflow),
    maxConcurrentCalls: callSlots(first.concurrency),
  });
  try {
    return await work((experiment, print) => {
      display = experiment.display;
      return carryToEnd({ ...session, notices }, experiment, print);
    });
  } finally {
    await session.close();
  }
}

/** Shows an experiment until it ends, and returns its result. */
async function watch<State, Result>(
  handle: WorkflowHandle,
  display: Display<State>,
  signal: AbortSignal,
): Promise<Result> {
  const options = { signal, say: (message: string) => display.say(message) };
  for await (const progress of follow<State>(handle, options)) display.show(progress);
  return untilEnded<Result>(handle, options).catch(endedOf<Result>);
}

async function carryToEnd<State, Result>(
  session: Session & { notices: OwnNotices },
  { continuedBy = 'the same command', display, start, lastState }: CarriedOut<State, Result>,
  print: (result: Result) => void,
): Promise<Result | null> {
  const interrupted = interruption();
  // The message about the interruption goes to the terminal, too.
  interrupted.signal.addEventListener('abort', () => display.end());
  let name = 'it';
  try {
    const { id, handle, says } = await start(session.client, session.worker.taskQueue);
    name = id;
    session.notices.carry(id);
    await session.workOn(handle, (message) => display.say(message));
    const [first, ...rest] = says;
    display.say(`${first} on ${session.server.address}`);
    for (const sentence of rest) display.say(sentence);
    if (session.server.uiUrl !== null) {
      display.say(
        `Temporal UI: ${session.server.uiUrl}/namespaces/${session.server.namespace}/workflows/${encodeURIComponent(id)}`,
      );
    }
    const broken = session.working.then(() => new Promise<never>(() => undefined));
    const result = await Promise.race([watch<State, Result>(handle, display, interrupted.signal), broken]);
    const last = lastState?.(result) ?? (await askProgress<State>(handle, QUERY_TIMEOUT));
    if (last !== null) display.show(last);
    display.end();
    print(result);
    return result;
  } catch (error) {
    display.end();
    if (!interrupted.signal.aborted) throw error;
    sayText(`Interrupted. Nothing is lost: ${continuedBy} continues ${name}.`);
    return null;
  } finally {
    interrupted.dispose();
  }
}
