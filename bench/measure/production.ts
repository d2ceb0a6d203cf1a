import { Client, Connection } from '@temporalio/client';
import type { RunResult } from '../../src/kinds/run/contracts.js';
import { provideTemporalBinary } from '../../src/workers/temporal-binary.js';
import {
  findProduction,
  type ProductionServer,
  startProduction,
} from '../../tests/support/production-server.js';
import { findVersitygw, type S3Server, startS3Server } from '../../tests/support/s3-server.js';
import { assertDone } from '../contestants/contestant.js';
import { runCommand } from '../contestants/embedded.js';
import type { Mock } from '../mock.js';
import { type Contest, makeWorkspace, type Workspace } from '../workspace.js';
import { startDetached, startWorker, stopWorker } from './command.js';

const WORKERS = [1, 2, 4] as const;

/** Seconds of the same run in each repetition, by the run's own account. */
export interface ProductionResult {
  samples: number;
  concurrency: number;
  embedded: number[];
  production: { workers: number; own_seconds: number[] }[];
}

/** Why nothing was measured. */
export interface ProductionSkipped {
  skipped: string;
}

interface Servers {
  server: ProductionServer;
  s3: S3Server;
}

/** The run of a workspace with so many workers, which all begin before it does. @returns seconds */
async function runOn(
  { server, s3 }: Servers,
  { contest, workspace, workers }: { contest: Contest; workspace: Workspace; workers: number },
): Promise<number> {
  const { address } = server;
  const environment = { ...workspace.environment, ...s3.environment, TEMPORAL_ADDRESS: address };
  const place = { ...workspace, environment };
  const began = await Promise.all(Array.from({ length: workers }, () => startWorker(place)));
  const connection = await Connection.connect({ address });
  try {
    await startDetached(place, address);
    const { metrics } = (await new Client({ connection }).workflow.getHandle('bench').result()) as RunResult;
    assertDone(metrics, contest);
    return metrics.wall_seconds;
  } finally {
    await connection.close();
    await Promise.all(began.map(stopWorker));
  }
}

/**
 * Runs with a model that answers at once: on the embedded server, and on Temporal's server on PostgreSQL with results in
 * S3, with one, two and four workers. They take turns.
 */
export async function measureProduction(
  mock: Mock,
  { samples, concurrency, repetitions }: { samples: number; concurrency: number; repetitions: number },
): Promise<ProductionResult | ProductionSkipped> {
  const [found, versitygw] = [await findProduction(), await findVersitygw()];
  if ('missing' in found) return { skipped: found.missing };
  if ('missing' in versitygw) return { skipped: versitygw.missing };
  const s3 = await startS3Server();
  const server = await startProduction(found, await provideTemporalBinary()).catch(async (error) => {
    await s3.stop();
    throw error;
  });
  const result: ProductionResult = {
    samples,
    concurrency,
    embedded: [],
    production: WORKERS.map((workers) => ({ workers, own_seconds: [] })),
  };
  const contest = { samples, concurrency, latency: 0 };
  const within = async (sections: object, work: (workspace: Workspace) => Promise<number>) => {
    const workspace = await makeWorkspace({ ...contest, sections: { ...sections } }, mock.baseUrl);
    try {
      await mock.reset(0);
      return await work(workspace);
    } finally {
      await workspace.remove();
    }
  };
  try {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      result.embedded.push(
        await within({}, async (workspace) => (await runCommand(contest, workspace)).own_seconds),
      );
      for (const { workers, own_seconds } of result.production) {
        const output = { results_dir: `s3://${s3.bucket}/${workers}-${repetition}` };
        own_seconds.push(
          await within({ output }, (workspace) => runOn({ server, s3 }, { contest, workspace, workers })),
        );
      }
    }
  } finally {
    await server.stop();
    await s3.stop();
  }
  return result;
}
