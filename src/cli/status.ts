import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type WorkflowExecutionInfo,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contracts/names.js';
import type { Progress } from '../contracts/run.js';
import { configuredServer, connectClient, resolveServer } from '../workers/connection.js';
import { serverFolder } from '../workers/server-folder.js';
import { EXIT } from './exit.js';
import { resultOf } from './follow.js';
import { dollars, headedTable, metricsTable, percent, shownAddress } from './format.js';

/** A query is answered by a worker; without one there is no answer to wait for. */
const QUERY_TIMEOUT = 5000;

/** A client for commands that look at runs; the embedded server is started when its database is there. */
export async function withClient<Value>(work: (client: Client) => Promise<Value>): Promise<Value> {
  const database = existsSync(join(serverFolder(), 'temporal.db'));
  if (configuredServer(process.env) === null && !database) {
    throw new InvalidInputError(
      `no run was started in ${process.cwd()} yet, and TEMPORAL_ADDRESS is not set`,
    );
  }
  const server = await resolveServer({
    start: true,
    say: (message) => void process.stderr.write(`${message}\n`),
  });
  const client = await connectClient(server);
  try {
    return await work(client);
  } finally {
    await client.connection.close();
    await server.release();
  }
}

/** The run's progress, or null where no worker answers. */
export async function queryProgress(handle: WorkflowHandle): Promise<Progress | null> {
  const silence = sleep(QUERY_TIMEOUT).then(() => null);
  return Promise.race([handle.query<Progress>('progress').catch(() => null), silence]);
}

/** @throws InvalidInputError where no run has that id. */
export async function describeRun(client: Client, id: string) {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new InvalidInputError(`there is no run '${id}' on this server; reprise status lists the runs`);
  }
}

async function showOne(client: Client, id: string, json: boolean): Promise<void> {
  const description = await describeRun(client, id);
  const handle = client.workflow.getHandle(id);
  if (description.status.name !== 'RUNNING') {
    const result = await resultOf(handle);
    process.stdout.write(
      json
        ? `${JSON.stringify({ id, phase: result.metrics.status, ...result }, null, 2)}\n`
        : `${id}\n${metricsTable(result.metrics)}\nArtifacts: ${shownAddress(result.artifacts)}\n`,
    );
    return;
  }
  const progress = await queryProgress(handle);
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ id, phase: progress?.phase ?? 'waiting for a worker', progress }, null, 2)}\n`,
    );
    return;
  }
  if (progress === null) {
    process.stdout.write(
      `${id} is in progress, but no worker answers. Continue it with the command that started it, or with: npx reprise worker\n`,
    );
    return;
  }
  const { totals } = progress;
  const rows = [
    ['phase', progress.phase],
    ['samples', `${totals.samples} of ${progress.samples_planned}`],
    ['correct', `${totals.correct} (${percent(progress.accuracy)})`],
    ['errors', String(totals.errors)],
    ['LM calls', String(totals.lm_calls)],
    ['cost', dollars(totals.cost_usd)],
    ['concurrency', String(progress.concurrency)],
    ['artifacts', shownAddress(progress.artifacts)],
  ];
  process.stdout.write(`${headedTable([id, ''], rows)}\n`);
}

const RUNS_LISTED = 50;

function attributeOf(info: WorkflowExecutionInfo, name: string): string {
  const pair = info.typedSearchAttributes.getAll().find(({ key }) => key.name === name);
  return (pair?.value as string | undefined) ?? '';
}

/** A terminated run has no say in its phase any more. */
function shownPhase({ status, phase }: { status: string; phase: string }): string {
  const ended = status === 'terminated' || status === 'timed_out';
  return ended || phase === '' ? status : phase;
}

async function listRuns(client: Client, json: boolean): Promise<void> {
  // Newest first; of a continued run, only its newest execution.
  const runs = new Map<string, WorkflowExecutionInfo>();
  for await (const info of client.workflow.list({ query: `WorkflowType = '${WORKFLOW_TYPES.run}'` })) {
    if (!runs.has(info.workflowId)) runs.set(info.workflowId, info);
    if (runs.size >= RUNS_LISTED) break;
  }
  const rows = [...runs.values()].map((info) => ({
    id: info.workflowId,
    status: info.status.name.toLowerCase(),
    phase: attributeOf(info, SEARCH_ATTRIBUTES.phase),
    model: attributeOf(info, SEARCH_ATTRIBUTES.model),
    started: info.startTime.toISOString(),
  }));
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0)
    process.stdout.write('No runs yet. Start one with: npx reprise run configs/toy_inmemory.yaml\n');
  else {
    const cells = rows.map((row) => [row.id, shownPhase(row), row.model, row.started]);
    process.stdout.write(`${headedTable(['run', 'phase', 'model', 'started'], cells)}\n`);
  }
}

export function addStatusCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('status')
    .description('the runs of this server, or one of them')
    .argument('[id]', 'the run’s id')
    .option('--json', 'for machines')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const json = options.json === true;
      await withClient((client) => (id === undefined ? listRuns(client, json) : showOne(client, id, json)));
      finish(EXIT.done);
    });
}
