import type { Client, WorkflowHandle } from '@temporalio/client';
import type { RunStatus } from '../contracts/results.js';
import type { AgentSource } from '../workers/bundle.js';
import { EXIT, exitCodeOf } from './exit.js';
import { watch } from './follow.js';
import { printText } from './format.js';
import { interruption } from './interruption.js';
import type { Display } from './live-block.js';
import { callSlots, openSession } from './session.js';

/** An experiment that a command starts and stays with. */
export interface CarriedOut<State, Result> {
  name: string;
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
  /** What is shown of it at its end; null where nobody can tell. */
  lastState(result: Result, handle: WorkflowHandle): Promise<State | null>;
  /** The result as people read it. */
  report(result: Result): string;
  json: boolean;
}

/** Carries an experiment to its end with a worker in this process, and answers with the exit code. */
export async function carryOut<State, Result extends { metrics: { status: RunStatus } }>({
  name,
  concurrency,
  agents = [],
  display,
  start,
  lastState,
  report,
  json,
}: CarriedOut<State, Result>): Promise<number> {
  const session = await openSession({
    say: (message) => display.say(message),
    agents,
    maxConcurrentCalls: callSlots(concurrency),
  });
  const interrupted = interruption();
  // What is said of it goes to the terminal as well, where the table is.
  interrupted.signal.addEventListener('abort', () => display.end());
  try {
    const { id, handle, says } = await start(session.client, session.worker.taskQueue);
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
    const last = await lastState(result, handle);
    if (last !== null) display.show(last);
    display.end();
    printText(json ? JSON.stringify(result, null, 2) : report(result));
    return exitCodeOf(result.metrics.status);
  } catch (error) {
    display.end();
    if (!interrupted.signal.aborted) throw error;
    process.stderr.write(`Interrupted. Nothing is lost: the same command continues ${name}.\n`);
    return EXIT.interrupted;
  } finally {
    interrupted.dispose();
    await session.close();
  }
}
