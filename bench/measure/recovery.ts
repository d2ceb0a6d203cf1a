import { Client, Connection } from '@temporalio/client';
import type { RunResult } from '../../src/kinds/run/contracts.js';
import { assertDone } from '../contestants/contestant.js';
import type { Mock } from '../mock.js';
import { makeWorkspace, type Workspace } from '../workspace.js';
import { startDetached, startWorker, stopWorker, until } from './command.js';
import { serverAddress } from './history.js';
import { type Spread, spreadOf } from './spread.js';

/** Where units run, as `runtime.grain` has it. */
export const GRAINS = ['call', 'unit'] as const;
export type Grain = (typeof GRAINS)[number];

export interface RecoveryResult {
  grain: Grain;
  samples: number;
  concurrency: number;
  latency: number;
  /** Seconds from kill -9 of the only worker to the next request at the model; another worker is started at once. */
  seconds_to_request: Spread;
  /** Seconds from the kill until the whole run is done. */
  seconds_to_end: Spread;
  /** Requests beyond one a sample: the calls that the kill cut off. */
  repeated: Spread;
}

const CONTEST = { samples: 400, concurrency: 20, latency: 100 };
/** Requests after which the worker is killed. */
const KILL_AFTER = 100;

interface Recovery {
  toRequest: number;
  toEnd: number;
  repeated: number;
}

async function recoverOnce(workspace: Workspace, mock: Mock): Promise<Recovery> {
  const first = await startWorker(workspace);
  const address = await serverAddress(workspace);
  await startDetached(workspace, address);
  await until('the run is in full work', async () => (await mock.statistics()).calls >= KILL_AFTER, {
    interval: 5,
  });
  first.signal('SIGKILL');
  const killed = performance.now();
  const starting = startWorker(workspace);
  await first.finished;
  // Whatever the dead worker sent has arrived by now, as its connections are closed.
  const before = (await mock.statistics()).calls;
  await until('a request after the kill', async () => (await mock.statistics()).calls > before, {
    interval: 5,
  });
  const toRequest = (performance.now() - killed) / 1000;
  const second = await starting;
  const connection = await Connection.connect({ address });
  try {
    const result = (await new Client({ connection }).workflow.getHandle('bench').result()) as RunResult;
    const toEnd = (performance.now() - killed) / 1000;
    assertDone(result.metrics, CONTEST);
    return { toRequest, toEnd, repeated: (await mock.statistics()).calls - CONTEST.samples };
  } finally {
    await connection.close();
    await stopWorker(second);
  }
}

/** How long a run stands still when its worker dies as in a power cut and another one takes over. */
export async function measureRecovery(
  grain: Grain,
  { mock, repetitions }: { mock: Mock; repetitions: number },
): Promise<RecoveryResult> {
  const recoveries: Recovery[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const workspace = await makeWorkspace({ ...CONTEST, grain }, mock.baseUrl);
    try {
      await mock.reset(CONTEST.latency);
      recoveries.push(await recoverOnce(workspace, mock));
    } finally {
      await workspace.remove();
    }
  }
  return {
    ...CONTEST,
    grain,
    seconds_to_request: spreadOf(recoveries.map(({ toRequest }) => toRequest)),
    seconds_to_end: spreadOf(recoveries.map(({ toEnd }) => toEnd)),
    repeated: spreadOf(recoveries.map(({ repeated }) => repeated)),
  };
}
