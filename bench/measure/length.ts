import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import type { RunResult } from '../../src/kinds/run/contracts.js';
import { assertDone } from '../contestants/contestant.js';
import type { Mock } from '../mock.js';
import { makeWorkspace, type Workspace } from '../workspace.js';
import { type Program, startDetached, startWorker, stopWorker } from './command.js';
import { serverAddress } from './history.js';

/** A run that is steered without a pause, so that its history grows as it does in days. */
export interface LengthContest {
  lanes: number;
  samples: number;
  /** Milliseconds of the model, until the run is as long as it should be. */
  latency: number;
  /** Events of the run's own history, over all its executions. */
  events: number;
  /** How often the only worker is killed meanwhile. */
  kills: number;
}

export interface LengthResult extends LengthContest {
  /** Events of the run's own history in the end. */
  reached: number;
  /** Times that the run continued as new, and one. */
  executions: number;
  /** Events of its longest execution; the server ends one of 51,200. */
  longest: number;
  /** Calls beyond one a sample. */
  repeated: number;
  /** Updates that the run was sent. */
  requests: number;
  seconds: number;
}

/** Requests on their way at once. */
const AT_ONCE = 4;

interface Histories {
  events: number;
  executions: number;
  longest: number;
}

async function historiesOf(client: Client): Promise<Histories> {
  const sum: Histories = { events: 0, executions: 0, longest: 0 };
  for await (const { runId, historyLength, status } of client.workflow.list({
    query: "WorkflowId = 'bench'",
  })) {
    const isOpen = status.name === 'RUNNING';
    const events = isOpen
      ? (await client.workflow.getHandle('bench', runId).describe()).historyLength
      : historyLength;
    sum.events += events;
    sum.executions += 1;
    sum.longest = Math.max(sum.longest, events);
  }
  return sum;
}

/** Keeps on asking for other lanes. A request is lost where no worker answers it in time. */
async function steer(handle: WorkflowHandle, lanes: number, continues: () => boolean): Promise<number> {
  let requests = 0;
  while (continues()) {
    requests += 1;
    const asked = lanes - (requests % Math.min(lanes, 2));
    await handle.executeUpdate('setConcurrency', { args: [asked] }).catch(() => sleep(200));
  }
  return requests;
}

async function growLong(
  workspace: Workspace,
  mock: Mock,
  contest: LengthContest,
): Promise<Omit<LengthResult, keyof LengthContest>> {
  const { lanes, samples, events, kills, latency } = contest;
  await mock.reset(latency);
  let worker: Program = await startWorker(workspace);
  const address = await serverAddress(workspace);
  const began = performance.now();
  await startDetached(workspace, address);
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection });
    const handle = client.workflow.getHandle('bench');
    let isLong = false;
    const steering = Array.from({ length: AT_ONCE }, () => steer(handle, lanes, () => !isLong));
    let killed = 0;
    for (let reached = 0; reached < events; reached = (await historiesOf(client)).events) {
      if (reached > ((killed + 1) * events) / (kills + 1)) {
        killed += 1;
        worker.signal('SIGKILL');
        await worker.finished;
        worker = await startWorker(workspace);
      }
      if ((await handle.describe()).status.name !== 'RUNNING')
        throw new Error(`it ended after ${reached} of ${events} events`);
      await sleep(500);
    }
    isLong = true;
    const asked = await Promise.all(steering);
    await handle.executeUpdate('setConcurrency', { args: [lanes] });
    const { calls } = await mock.statistics();
    await mock.reset(0);
    const { metrics } = (await handle.result()) as RunResult;
    assertDone(metrics, { samples });
    const repeated = calls + (await mock.statistics()).calls - samples;
    // The list of executions lags behind.
    await sleep(2000);
    const { events: reachedInAll, executions, longest } = await historiesOf(client);
    const requests = asked.reduce((sum, one) => sum + one, 0);
    return {
      reached: reachedInAll,
      executions,
      longest,
      repeated,
      requests,
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    await connection.close();
    await stopWorker(worker);
  }
}

/** Whether a run ends as it should whose history alone is longer than the server lets one be. */
export async function measureLength(mock: Mock, contest: LengthContest): Promise<LengthResult> {
  const limits = { max_lm_calls: 10 * contest.samples, max_tokens: 1e9 };
  const workspace = await makeWorkspace(
    { samples: contest.samples, concurrency: contest.lanes, latency: contest.latency, sections: { limits } },
    mock.baseUrl,
  );
  try {
    return { ...contest, ...(await growLong(workspace, mock, contest)) };
  } finally {
    await workspace.remove();
  }
}
