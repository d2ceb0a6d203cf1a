import { basename } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { holdsRows as holdsRollouts } from '../activities/agent-eval/agent-eval-folder.js';
import { askedRows } from '../activities/agent-eval/asked-rows.js';
import { checkLanguageModel } from '../activities/check-language-model.js';
import { judgementName } from '../activities/judge/judge-folder.js';
import { checkJudge } from '../activities/judge/prepare-judge.js';
import { makeRoomInAgentEval, makeRoomInJudgement, makeRoomInRun, reopen } from '../activities/reopen.js';
import { holdsRows } from '../activities/run-rows.js';
import { resolveAgentEvalConfig } from '../config/agent-eval-load.js';
import { InvalidInputError } from '../config/errors.js';
import { resolveJudgeConfig } from '../config/judge-load.js';
import { resolveConfig } from '../config/load.js';
import type { RunConfig } from '../config/schema.js';
import type { JsonObject } from '../contracts/json.js';
import { countedText } from '../statistics/figure-text.js';
import { type AnyMetrics, errorTypesOf, judgedOf } from '../statistics/judged.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { artifactKeys, judgementPrefix } from '../storage/paths.js';
import { readRetry } from '../storage/retry-marker.js';
import { readStoredConfig } from '../storage/stored-config.js';
import { missingFile, readJson } from '../storage/stored-file.js';
import { tryModuleApart } from '../workers/code-trial.js';
import { inProgress } from '../workers/in-progress.js';
import { startAgentEval } from '../workers/start-agent-eval.js';
import { startJudge } from '../workers/start-judge.js';
import { startRun } from '../workers/start-run.js';
import { evaluation } from './agent-eval.js';
import { checkAgentEval } from './agent-eval-check.js';
import { type CarriedOut, carryOut } from './carry-out.js';
import { leaveToWorkers } from './detach.js';
import { EXIT } from './exit.js';
import { FAIL_ON_ERROR, shareOf } from './exit-code.js';
import { RESULTS_FOLDERS } from './export.js';
import { findExperiment } from './find-experiment.js';
import { judgement } from './judge.js';
import { printJson, sayText } from './print.js';
import { runOf } from './run.js';
import { agentSources } from './session.js';

interface Options {
  type?: string[];
  resultsDir?: string;
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

/** An experiment whose error rows are asked again. */
interface Retried {
  store: ArtifactStore;
  id: string;
  metrics: AnyMetrics;
  /** Of errors; null: any. */
  types: string[] | null;
}

/** An experiment that was gone through, and is to be continued in its own folder. */
interface Continued {
  concurrency: number;
  sources: ReturnType<typeof agentSources>;
  start: Parameters<typeof leaveToWorkers>[0]['start'];
  carry(json: boolean, mostErrors: number | null): Promise<number>;
}

/** @throws InvalidInputError where it is one whose errors are not asked again, or not with this command. */
function checkRetriable({ id, metrics }: Retried, isBegun: boolean): void {
  const { kind, status } = metrics;
  if (kind === 'evolve') {
    throw new InvalidInputError(
      `${id} is an evolution, which has no rows to ask again; the command that started it goes on with it`,
    );
  }
  if (status !== 'done' && status !== 'incomplete' && !isBegun) {
    throw new InvalidInputError(
      `${id} has not come to its end (${status}): the command that started it goes on with it, and asks its errors again`,
    );
  }
}

/** @throws InvalidInputError where no error has one of the types. */
function checkTypes({ id, metrics, types }: Retried): void {
  const there = errorTypesOf(metrics);
  const unknown = (types ?? []).find((type) => !Object.hasOwn(there, type));
  if (unknown === undefined) return;
  const listed = Object.entries(there).map(([type, count]) => `${type} (${count})`);
  throw new InvalidInputError(
    `--type: ${id} has no error of the type '${unknown}'; its errors are of: ${listed.join(', ')}`,
    'type',
  );
}

async function retriedOf(id: string, { type, resultsDir }: Options): Promise<Retried> {
  const store = await findExperiment(id, {
    folders: resultsDir === undefined ? RESULTS_FOLDERS : [resultsDir],
    file: artifactKeys.metrics,
    kind: 'experiment',
  });
  const metrics = await readJson<AnyMetrics>(store, artifactKeys.metrics);
  if (metrics === null) throw missingFile(store, artifactKeys.metrics);
  // A judgement lies in the folder of its experiment, and is named so.
  const levels = metrics.kind === 'judge' ? 3 : 1;
  return { store, id: store.uri.split('/').slice(-levels).join('/'), metrics, types: type ?? null };
}

/** The config of the folder, as it is continued: its results lie where they were found. */
async function configOf<Config>(
  { store }: Retried,
  resolve: (stored: JsonObject, source: string, folder: string) => Config,
): Promise<Config> {
  const source = `${store.uri}/${artifactKeys.config}`;
  const stored = (await readStoredConfig(store)) as (JsonObject & { output: JsonObject }) | null;
  if (stored === null) throw missingFile(store, artifactKeys.config);
  const parent = store.uri.slice(0, store.uri.lastIndexOf('/'));
  const results_dir = parent.startsWith('file:') ? fileURLToPath(parent) : parent;
  return resolve({ ...stored, output: { ...stored.output, results_dir } }, source, process.cwd());
}

function otherRows(id: string): InvalidInputError {
  return new InvalidInputError(
    `dataset: its rows are not those that ${id} was made with: rows of two datasets make no figure`,
    'dataset',
  );
}

async function continuedRun(retried: Retried): Promise<Continued> {
  const { store, id, types } = retried;
  const config = await configOf(retried, (stored, source, folder) =>
    resolveConfig(stored, { source, folder, fallbackName: id }),
  );
  checkSeparate(config, id);
  await checkLanguageModel(config, { environment: process.env });
  if (!(await holdsRows(store, config, process.env))) throw otherRows(id);
  const start = async (client: Client, queue: string) => {
    await openAgain(client, retried, () => reopen(store, types, makeRoomInRun));
    return startRun(client, config, queue, id);
  };
  return {
    concurrency: config.runtime.concurrency,
    sources: agentSources(config),
    start,
    carry: (json, mostErrors) => carry(retried, { ...runOf(config, json, start), mostErrors }),
  };
}

/** @throws InvalidInputError where the samples share a memory. */
function checkSeparate({ runtime }: RunConfig, id: string): void {
  if (runtime.memory_scope === 'sample') return;
  throw new InvalidInputError(
    `the samples of ${id} share one memory (runtime.memory_scope: run): what one of them is asked again would change what all later ones saw. The command that started it begins anew`,
    'runtime.memory_scope',
  );
}

async function continuedEvaluation(retried: Retried): Promise<Continued> {
  const { store, id, types } = retried;
  const config = await configOf(retried, (stored, source, folder) =>
    resolveAgentEvalConfig(stored, { source, folder, fallbackName: id }),
  );
  await checkAgentEval(config, process.env);
  const rows = await askedRows(config, config.now ?? new Date().toISOString(), tryModuleApart);
  if (!(await holdsRollouts(store, rows))) throw otherRows(id);
  const start = async (client: Client, queue: string) => {
    await openAgain(client, retried, () => reopen(store, types, makeRoomInAgentEval));
    return startAgentEval(client, config, queue, id);
  };
  return {
    concurrency: config.concurrency,
    sources: [],
    start,
    carry: (json, mostErrors) => carry(retried, { ...evaluation(config, json, start), mostErrors }),
  };
}

async function continuedJudgement(retried: Retried): Promise<Continued> {
  const { store, id, types } = retried;
  const source = `${store.uri}/${artifactKeys.config}`;
  const stored = await readStoredConfig(store);
  if (stored === null) throw missingFile(store, artifactKeys.config);
  // Its results lie where they were found.
  const experiment = store.uri.slice(0, -`/${judgementPrefix(basename(store.uri))}`.length);
  const config = resolveJudgeConfig({ ...stored, experiment }, { source, folder: process.cwd() });
  if (judgementName(config) !== basename(store.uri)) {
    throw new InvalidInputError(`${id} was made by another config than ${source} holds now; judge it anew`);
  }
  await checkJudge(config, { environment: process.env });
  const start = async (client: Client, queue: string) => {
    await openAgain(client, retried, () => reopen(store, types, makeRoomInJudgement));
    return startJudge(client, config, queue);
  };
  return {
    concurrency: config.concurrency,
    sources: [],
    start,
    carry: (json, mostErrors) => carry(retried, { ...judgement(config, json, start), mostErrors }),
  };
}

/** One that is in progress is asking them already, or is no retry. */
async function openAgain(
  client: Client,
  { store, id, types }: Retried,
  open: () => Promise<unknown>,
): Promise<void> {
  if ((await inProgress(client, id)) === null) {
    await open();
    return;
  }
  const going = await readRetry(store);
  if (going === null || JSON.stringify(going.types) !== JSON.stringify(types)) {
    throw new InvalidInputError(`${id} is in progress; wait for it, or stop it with: npx reprise stop ${id}`);
  }
}

function carry<State, Result extends { metrics: AnyMetrics }>(
  { id, types }: Retried,
  experiment: CarriedOut<State, Result>,
): Promise<number> {
  const continuedBy = ['npx reprise retry', id, ...(types === null ? [] : ['--type', ...types])].join(' ');
  return carryOut({ ...experiment, name: id, continuedBy });
}

/** How many rows are asked, as `3 samples`. */
function askedText({ metrics, types }: Retried): string {
  const { what, errors } = judgedOf(metrics);
  const there = errorTypesOf(metrics);
  const asked = types === null ? errors : types.reduce((sum, type) => sum + (there[type] ?? 0), 0);
  return countedText(asked, what);
}

function continuedOf(retried: Retried): Promise<Continued> {
  if (retried.metrics.kind === 'judge') return continuedJudgement(retried);
  return retried.metrics.kind === 'run' ? continuedRun(retried) : continuedEvaluation(retried);
}

async function retry(id: string, options: Options): Promise<number> {
  const json = options.json === true;
  const mostErrors = shareOf(options.failOnError, options.detach);
  const retried = await retriedOf(id, options);
  const isBegun = (await readRetry(retried.store)) !== null;
  checkRetriable(retried, isBegun);
  const { metrics } = retried;
  if (!isBegun && metrics.status === 'done' && judgedOf(metrics).errors === 0) {
    sayText(`${retried.id} has no errors: there is nothing to ask again.`);
    if (json) printJson({ artifacts: retried.store.uri, metrics });
    return EXIT.done;
  }
  if (!isBegun) checkTypes(retried);
  const { concurrency, sources, start, ...continued } = await continuedOf(retried);
  if (!json) sayText(`Asking ${askedText(retried)} of ${retried.id} again; all others stay as they are.`);
  if (options.detach) return leaveToWorkers({ sources, concurrency, start }, json);
  return continued.carry(json, mostErrors);
}

export function addRetryCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('retry')
    .description('ask only the rows of a finished run, evaluation or judgement again that are errors')
    .argument('<id>', 'the experiment’s id, or its folder')
    .option('--type <type...>', 'only errors of these types, e.g. EmptyReply')
    .option('--results-dir <folder>', `where experiments are kept (default: ${RESULTS_FOLDERS.join(' or ')})`)
    .option('--detach', 'leave it to a worker in the background and return')
    .option(...FAIL_ON_ERROR)
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (id: string, options: Options) => finish(await retry(id, options)));
}
