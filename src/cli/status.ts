import { type Client, type WorkflowExecutionInfo, WorkflowNotFoundError } from '@temporalio/client';
import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import { KINDS } from '../kinds/registry.js';
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

/** @throws InvalidInputError where no run has the id. */
export async function describeRun(client: Client, id: string) {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new InvalidInputError(`there is no run '${id}' on this server; reprise status lists the runs`);
  }
}

async function showOne(client: Client, id: string, json: boolean): Promise<void> {
  await printExperiment(client, await describeRun(client, id), json);
}

const RUNS_LISTED = 50;

function attributeOf(info: WorkflowExecutionInfo, name: string): string {
  const pair = info.typedSearchAttributes.getAll().find(({ key }) => key.name === name);
  return (pair?.value as string | undefined) ?? '';
}

/** Returns the phase to show: of a terminated run, it is out of date. */
function shownPhase({ status, phase }: { status: string; phase: string }): string {
  const ended = status === 'terminated' || status === 'timed_out';
  return ended || phase === '' ? status : phase;
}

async function listRuns(client: Client, json: boolean): Promise<void> {
  // Newest first; only the newest execution of a continued run.
  const runs = new Map<string, WorkflowExecutionInfo>();
  const query = KINDS.map(({ id }) => `WorkflowType = '${id}'`).join(' OR ');
  for await (const info of client.workflow.list({ query })) {
    if (!runs.has(info.workflowId)) runs.set(info.workflowId, info);
    if (runs.size >= RUNS_LISTED) break;
  }
  const rows = [...runs.values()].map((info) => ({
    id: info.workflowId,
    kind: info.type,
    status: info.status.name.toLowerCase(),
    phase: attributeOf(info, SEARCH_ATTRIBUTES.phase),
    model: attributeOf(info, SEARCH_ATTRIBUTES.model),
    started: info.startTime.toISOString(),
  }));
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
