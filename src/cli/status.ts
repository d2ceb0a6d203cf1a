import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { Command } from 'commander';
import { describeRun } from '../client/in-progress.js';
import { listExperiments } from '../client/list.js';
import { type CutOffExperiment, type State, stateOf } from '../client/state.js';
import { InvalidInputError } from '../config/errors.js';
import { addressFacts, countFact, type Fact, stateFact } from '../facts/fact.js';
import { factsOf } from '../facts/kind-facts.js';
import type { Kind } from '../kinds/kind.js';
import { kindOf } from '../kinds/registry.js';
import { connectClient } from '../workers/connection.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { factsText } from './experiment-text.js';
import { headedTable, withoutWorker } from './format.js';
import { printJson, printText } from './print.js';
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

/** Returns the facts of an experiment without metrics. */
function factsOfCutOff({ phase, artifacts, held }: CutOffExperiment): Fact[] {
  if (artifacts === null) return [stateFact(phase, 'before it had a folder')];
  return [
    stateFact(phase, held === null ? 'its folder is not to be seen from here' : null),
    ...Object.entries(held ?? {}).map(([what, count]) => countFact(what, count)),
    ...addressFacts('artifacts', artifacts),
  ];
}

function factsOfState({ progress, left }: State, { facts }: Kind): Fact[] {
  if (progress !== null) return factsOf(progress, facts);
  return left === null ? [] : factsOfCutOff(left);
}

/** Prints an experiment: for people its facts, for programs the same keys for every kind and phase. */
async function printExperiment(
  client: Client,
  described: WorkflowExecutionDescription,
  json: boolean,
): Promise<void> {
  const id = described.workflowId;
  const kind = await kindOf(described.type)?.kind();
  if (kind === undefined) {
    throw new InvalidInputError(`'${id}' is a part of an experiment; status shows the whole`);
  }
  const state = await stateOf(client, described, kind);
  const { phase, progress, left } = state;
  const facts = factsOfState(state, kind);
  if (json) {
    const { metrics = null, artifacts = null, ...further } = progress ?? {};
    printJson({
      id,
      kind: kind.config.id,
      phase,
      artifacts: left?.artifacts ?? (artifacts === '' ? null : artifacts),
      metrics,
      held: left?.held ?? null,
      progress: progress === null ? null : further,
      facts,
    });
    return;
  }
  if (facts.length === 0) printText(withoutWorker(id));
  else if (progress !== null || left?.held == null) printText(`${id}\n${factsText(facts)}`);
  else printText(`${id}\n${factsText(facts)}\nThe command that started it continues from there.`);
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
