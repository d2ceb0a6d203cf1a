import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { reopen } from '../activities/reopen.js';
import { inProgress } from '../client/in-progress.js';
import { InvalidInputError } from '../config/errors.js';
import { sectionOf } from '../config/flags.js';
import type { WrittenConfig } from '../config/kind.js';
import { resolveConfig } from '../config/load.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import { judgedOf } from '../facts/kind-facts.js';
import type { Retriable } from '../kinds/kind.js';
import { type LoadedKind, loadKind } from '../kinds/registry.js';
import { countedText } from '../statistics/figure-text.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { artifactKeys } from '../storage/paths.js';
import { readRetry } from '../storage/retry-marker.js';
import { readStoredConfig } from '../storage/stored-config.js';
import { missingFile, readJson } from '../storage/stored-file.js';
import { carryOut } from './carry-out.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { FAIL_ON_ERROR, shareOf } from './exit-code.js';
import { type AskedExperiment, carriedOut, detach } from './experiment.js';
import { findExperiment, RESULTS_DIR, resultsFolders } from './find-experiment.js';
import { printJson, sayText } from './print.js';

interface Options {
  type?: string[];
  resultsDir?: string;
  detach?: boolean;
  json?: boolean;
  failOnError?: string;
}

interface Retried {
  loaded: LoadedKind;
  retry: Retriable<object>;
  store: ArtifactStore;
  id: string;
  metrics: ExperimentMetrics;
  /** Types of errors; null: any. */
  types: string[] | null;
}

/** @throws InvalidInputError where this command does not retry the experiment's errors. */
function checkRetriable({ id, metrics: { status } }: Retried, isBegun: boolean): void {
  if (status === 'done' || status === 'incomplete' || isBegun) return;
  throw new InvalidInputError(
    `${id} has not come to its end (${status}): the command that started it continues with it, and asks its errors again`,
  );
}

/** @throws InvalidInputError where no error has one of the types. */
function checkTypes({ id, metrics, types }: Retried): void {
  const there = metrics.errors_by_type;
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
    folders: resultsFolders(resultsDir),
    file: artifactKeys.metrics,
    kind: 'experiment',
  });
  const metrics = await readJson<ExperimentMetrics>(store, artifactKeys.metrics);
  if (metrics === null) throw missingFile(store, artifactKeys.metrics);
  const loaded = await loadKind(metrics.kind);
  const { retry, config } = loaded.kind;
  const idOf = (levels: number) => store.uri.split('/').slice(-levels).join('/');
  if (retry === undefined) {
    throw new InvalidInputError(
      `${idOf(1)} is ${config.noun}, which has no rows to ask again; the command that started it continues with it`,
    );
  }
  return { loaded, retry, store, id: idOf(retry.levels), metrics, types: type ?? null };
}

/** Sets the results folder of a stored config to the one that contains it. */
function besideOthers(stored: WrittenConfig, folder: string): WrittenConfig {
  const results_dir = folder.slice(0, folder.lastIndexOf('/'));
  return { ...stored, output: { ...sectionOf(stored, 'output'), results_dir } };
}

/** Reads the config of the folder, with the results folder where it was found. */
async function configOf({ loaded, retry, store, id }: Retried): Promise<object> {
  const { kind, command } = loaded;
  const stored = await readStoredConfig(store);
  if (stored === null) throw missingFile(store, artifactKeys.config);
  const folder = store.uri.startsWith('file:') ? fileURLToPath(store.uri) : store.uri;
  const { foundAt = besideOthers } = retry;
  const config = resolveConfig(kind.config, foundAt(stored, folder), {
    source: `${store.uri}/${artifactKeys.config}`,
    folder: process.cwd(),
    fallbackName: id,
  });
  retry.check?.(config, id);
  await command.check(config);
  if (retry.holdsRows === undefined || (await retry.holdsRows(store, config))) return config;
  const { rows } = kind.config;
  throw new InvalidInputError(
    `${rows}: its rows are not those that ${id} was made with: rows of two datasets make no figure`,
    rows,
  );
}

/** Reopens an experiment, so that its next start retries the errors. */
async function openAgain(client: Client, { store, id, types, retry }: Retried): Promise<void> {
  // An experiment in progress is already being retried, or is not a retry.
  if ((await inProgress(client, id)) === null) {
    await reopen(store, types, retry.makeRoom);
    return;
  }
  const going = await readRetry(store);
  if (going === null || JSON.stringify(going.types) !== JSON.stringify(types)) {
    throw new InvalidInputError(`${id} is in progress; wait for it, or stop it with: npx reprise stop ${id}`);
  }
}

/** Counts the rows to retry, as `3 samples`. */
function askedText({ metrics, types, loaded }: Retried): string {
  const { what, errors } = judgedOf(metrics, loaded.kind.facts);
  const there = metrics.errors_by_type;
  const asked = types === null ? errors : types.reduce((sum, type) => sum + (there[type] ?? 0), 0);
  return countedText(asked, what);
}

/** Asks the errors of an experiment again. @returns the exit code */
export async function retry(id: string, options: Options): Promise<number> {
  const json = options.json === true;
  const maxErrors = shareOf(options.failOnError, options.detach);
  const retried = await retriedOf(id, options);
  const isBegun = (await readRetry(retried.store)) !== null;
  checkRetriable(retried, isBegun);
  const { metrics } = retried;
  if (!isBegun && metrics.status === 'done' && judgedOf(metrics, retried.loaded.kind.facts).errors === 0) {
    sayText(`${retried.id} has no errors: there is nothing to ask again.`);
    if (json) printJson({ artifacts: retried.store.uri, metrics });
    return EXIT.done;
  }
  if (!isBegun) checkTypes(retried);
  const config = await configOf(retried);
  if (!json) sayText(`Asking ${askedText(retried)} of ${retried.id} again; all others stay as they are.`);
  const { types } = retried;
  const asked: AskedExperiment = {
    ...retried.loaded,
    config,
    json,
    maxErrors,
    only: retried.id,
    before: (client) => openAgain(client, retried),
    continuedBy: ['npx reprise retry', retried.id, ...(types === null ? [] : ['--type', ...types])].join(' '),
  };
  return options.detach ? detach(asked) : carryOut(carriedOut(asked));
}

export function addRetryCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('retry')
    .addHelpText('after', examples('reprise retry my-run', 'reprise retry my-run --type EmptyReply CutOff'))
    .argument('<id>', 'the experiment’s id, or its folder')
    .option('--type <type...>', 'only errors of these types, e.g. EmptyReply')
    .option(...RESULTS_DIR)
    .option('--detach', 'leave it to a worker in the background and return')
    .option(...FAIL_ON_ERROR)
    .option('--json', 'print the result as JSON, and nothing else')
    .action(async (id: string, options: Options) => finish(await retry(id, options)));
}
