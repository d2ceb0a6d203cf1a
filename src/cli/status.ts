import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { describeRun } from '../client/in-progress.js';
import { listExperiments } from '../client/list.js';
import { connectClient } from '../workers/connection.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { headedTable } from './format.js';
import { printJson, printText } from './print.js';
import { printExperiment } from './show-experiment.js';
import { withServer } from './with-server.js';

/** Runs `work` with a client of the server that {@link withServer} chooses. */
export function withClient<Value>(work: (client: Client) => Promise<Value>): Promise<Value> {
  return withServer(async (server) => {
    const client = await connectClient(server);
    try {
      return await work(client);
    } finally {
      await client.connection.close();
    }
  });
}

async function showOne(client: Client, id: string, json: boolean): Promise<void> {
  await printExperiment(client, await describeRun(client, id), json);
}

const RUNS_LISTED = 50;

/** Returns the phase to show: of a terminated run, it is out of date. */
function shownPhase({ status, phase }: { status: string; phase: string }): string {
  const ended = status === 'terminated' || status === 'timed_out';
  return ended || phase === '' ? status : phase;
}

async function listRuns(client: Client, json: boolean): Promise<void> {
  const rows = await listExperiments(client, { limit: RUNS_LISTED });
  if (json) printJson(rows);
  else if (rows.length === 0)
    printText('No runs yet. Start one with: npx reprise run configs/toy_inmemory.yaml');
  else {
    const cells = rows.map((row) => [row.id, row.kind, shownPhase(row), row.model, row.started]);
    printText(headedTable(['id', 'kind', 'phase', 'model', 'started'], cells));
  }
}

export function addStatusCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('status')
    .addHelpText('after', examples('reprise status', 'reprise status my-run --json'))
    .argument('[id]', 'the run’s id')
    .option('--json', 'for machines')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const json = options.json === true;
      await withClient((client) => (id === undefined ? listRuns(client, json) : showOne(client, id, json)));
      finish(EXIT.done);
    });
}
