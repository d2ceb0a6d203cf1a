import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { openSession, type Session, type SessionOptions } from '../client/session.js';
import { InvalidInputError } from '../config/errors.js';
import { KINDS } from '../kinds/registry.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { interruption } from './interruption.js';
import { printText, sayText } from './print.js';

/** Milliseconds between two checks, and the number of idle ones that end the wait: visibility lags a little. */
const LOOK_INTERVAL = 2000;
const IDLE_LOOKS = 3;

/** Returns the query of a queue's open workflows. Others of the namespace are ignored, and may never end. */
function openOn(taskQueue: string): string {
  const types = KINDS.map(({ id }) => `'${id}'`);
  return `ExecutionStatus = 'Running' AND TaskQueue = ${JSON.stringify(taskQueue)} AND WorkflowType IN (${types.join(', ')})`;
}

/** Waits until no workflow of Reprise has been open on a worker's queue for a few seconds. */
export async function untilIdle(
  client: Pick<Client, 'workflow'>,
  {
    taskQueue,
    signal,
    interval = LOOK_INTERVAL,
  }: { taskQueue: string; signal: AbortSignal; interval?: number },
): Promise<void> {
  for (let idle = 0; idle < IDLE_LOOKS && !signal.aborted; ) {
    await sleep(interval, undefined, { signal }).catch(() => undefined);
    const counted = await client.workflow.count(openOn(taskQueue)).catch(() => null);
    idle = counted !== null && counted.count === 0 ? idle + 1 : 0;
  }
}

interface WorkerCommandOptions {
  taskQueue?: string;
  maxConcurrentCalls?: string;
  untilIdle?: boolean;
}

function sessionOptions(options: WorkerCommandOptions): SessionOptions {
  const calls = options.maxConcurrentCalls === undefined ? undefined : Number(options.maxConcurrentCalls);
  if (calls !== undefined && (!Number.isInteger(calls) || calls < 1)) {
    throw new InvalidInputError(
      `--max-concurrent-calls ${options.maxConcurrentCalls}: must be a whole number of at least 1`,
    );
  }
  return {
    say: (message) => sayText(message),
    forAnybody: true,
    ...(options.taskQueue === undefined ? {} : { taskQueue: options.taskQueue }),
    ...(calls === undefined ? {} : { maxConcurrentCalls: calls }),
  };
}

/** Runs a session until Ctrl-C, or until no run is open. */
async function work(session: Session, announcement: () => void, idleEnds: boolean): Promise<void> {
  const interrupted = interruption();
  // The reader may press Ctrl-C at once.
  announcement();
  try {
    await Promise.race([
      interrupted.came,
      session.working,
      ...(idleEnds
        ? [untilIdle(session.client, { taskQueue: session.worker.taskQueue, signal: interrupted.signal })]
        : []),
    ]);
  } finally {
    await session.close();
    interrupted.dispose();
  }
}

export function addWorkerCommands(program: Command, finish: (code: number) => void): void {
  program
    .command('dev')
    .addHelpText('after', examples('reprise dev'))
    .action(async (options: WorkerCommandOptions) => {
      const session = await openSession(sessionOptions(options));
      const { address, uiUrl } = session.server;
      const lines = [
        `Temporal server: ${address}`,
        ...(uiUrl === null ? [] : [`Temporal UI:     ${uiUrl}`]),
        `Task queue:      ${session.queue}`,
        '',
        'Start a run from another terminal:',
        '  npx reprise run configs/toy_inmemory.yaml',
        `  npx reprise temporal workflow start --task-queue ${session.queue} --type run --workflow-id my-run --input '{"config_path": "configs/toy_inmemory.yaml"}'`,
        '',
        'Ctrl-C ends; runs in progress continue with the next worker.',
      ];
      await work(session, () => printText(lines.join('\n')), false);
      finish(EXIT.done);
    });

  program
    .command('worker')
    .addHelpText('after', examples('reprise worker --max-concurrent-calls 200'))
    .option('--task-queue <name>', 'default: REPRISE_TASK_QUEUE, or reprise')
    .option('--max-concurrent-calls <n>', 'LM calls in flight at most, for each model')
    .option('--until-idle', 'end when no run is open')
    .action(async (options: WorkerCommandOptions) => {
      const session = await openSession(sessionOptions(options));
      const announce = () => sayText(`Working on ${session.queue} at ${session.server.address}`);
      await work(session, announce, options.untilIdle === true);
      finish(EXIT.done);
    });
}
