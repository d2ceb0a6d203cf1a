import type { Client, WorkflowHandle } from '@temporalio/client';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { Ended, KindFacts } from '../facts/kind-facts.js';
import type { AgentSource } from '../workers/bundle.js';
import type { Display } from './display.js';
import { EXIT } from './exit.js';
import { exitOf } from './exit-code.js';
import { askProgress, QUERY_TIMEOUT, watch } from './follow.js';
import { interruption } from './interruption.js';
import { OwnNews } from './own-news.js';
import { printJson, printText, sayText } from './print.js';
import { seldom } from './seldom.js';
import { callSlots, openSession, type Session } from './session.js';

/** An experiment that a command starts and stays with. */
export interface CarriedOut<State, Result> {
  /** What its kind says of it. */
  facts: KindFacts;
  /** The command that continues it, where that is not the one that was given. */
  continuedBy?: string;
  /** What it does at once. */
  concurrency: number;
  /** The user's agent, where it has one. */
  agents?: readonly AgentSource[];
  display: Display<State>;
  /** @returns what to say first, such as `Started NAME`, and what else. */
  start(
    client: Client,
    taskQueue: string,
  ): Promise<{ id: string; handle: WorkflowHandle; says: readonly [string, ...string[]] }>;
  /** What is shown of it at its end, where its result says that; otherwise its workflow is asked. */
  lastState?(result: Result): State;
  /** The result as people read it. */
  report(result: Result): string;
  json: boolean;
  /** The largest share of errors with which the command succeeds; any, where that is left out. */
  mostErrors?: number | null;
}

/** Carries an experiment to its end with a worker in this process, and answers with the exit code. */
export async function carryOut(experiment: CarriedOut<unknown, Ended>): Promise<number> {
  const { report, json } = experiment;
  const print = (result: Ended) => (json ? printJson(result) : printText(report(result)));
  const result = await carryingOut(experiment, (carry) => carry(experiment, print));
  return result === null ? EXIT.interrupted : sayExit(result.metrics, experiment);
}

/** Says why a command does not succeed where the result does not say that, and answers with its exit code. */
export function sayExit(
  metrics: ExperimentMetrics,
  { facts, mostErrors }: Pick<CarriedOut<never, never>, 'facts' | 'mostErrors'>,
): number {
  const { code, why } = exitOf(metrics, facts, mostErrors);
  if (why !== null) sayText(why);
  return code;
}

/**
 * Carries an experiment to its end.
 * @returns its result; null where somebody interrupted it, which is told.
 */
export type Carry = <State, Result>(
  experiment: CarriedOut<State, Result>,
  print: (result: Result) => void,
) => Promise<Result | null>;

/** Experiments that are carried to their ends one after another, with one worker in this process. */
export async function carryingOut<Value>(
  first: Pick<CarriedOut<never, never>, 'concurrency' | 'agents' | 'display'>,
  work: (carry: Carry) => Promise<Value>,
): Promise<Value> {
  let display: Pick<Display<never>, 'say'> = first.display;
  const say = (message: string) => display.say(message);
  const news = new OwnNews(seldom(say));
  const session = await openSession({
    say,
    hear: (message, workflow) => news.hear(message, workflow),
    isOwn: (workflow) => news.isOwn(workflow),
    agents: first.agents ?? [],
    maxConcurrentCalls: callSlots(first.concurrency),
  });
  try {
    return await work((experiment, print) => {
      display = experiment.display;
      return carryToEnd({ ...session, news }, experiment, print);
    });
  } finally {
    await session.close();
  }
}

async function carryToEnd<State, Result>(
  session: Session & { news: OwnNews },
  { continuedBy = 'the same command', display, start, lastState }: CarriedOut<State, Result>,
  print: (result: Result) => void,
): Promise<Result | null> {
  const interrupted = interruption();
  // What is said of it goes to the terminal as well, where the table is.
  interrupted.signal.addEventListener('abort', () => display.end());
  let name = 'it';
  try {
    const { id, handle, says } = await start(session.client, session.worker.taskQueue);
    name = id;
    session.news.carry(id);
    const { taskQueue } = await handle.describe();
    if (taskQueue !== session.worker.taskQueue)
      session
        .takeOver(taskQueue, (message) => display.say(message))
        .catch(({ message }: Error) => display.say(message));
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
