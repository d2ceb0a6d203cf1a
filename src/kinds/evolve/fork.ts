import type { StoredCall } from '../../activities/call-store.js';
import type { OpenStore } from '../../activities/locate.js';
import { InvalidInputError } from '../../config/errors.js';
import { checkFile } from '../../config/named-files.js';
import { firstDifferentField } from '../../config/pacing.js';
import { isRemote, resolveLocation } from '../../config/paths.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { forEachConcurrently } from '../../storage/byte-streams.js';
import { readableJson } from '../../storage/json-lines.js';
import { callsPrefix, codeKey } from '../../storage/paths.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { readStoredConfig } from '../../storage/stored-config.js';
import { missingFile, parseJson, readJson } from '../../storage/stored-file.js';
import { RUN_TYPES } from './activities/evolve-data.js';
import type { EvolveState, ScaffoldJob } from './contracts.js';
import { iterationFolder } from './evolution/layout.js';
import {
  evolveExamplesKey,
  evolveForkKey,
  evolveStateKey,
  evolveStatesPrefix,
  scaffoldRunsPrefix,
} from './paths.js';
import type { EvolveConfig } from './schema.js';

const CONCURRENT_COPIES = 16;

type EvolveFork = NonNullable<EvolveConfig['fork']>;

/** Experiment that a fork begins from. */
export interface ForkSource {
  store: ArtifactStore;
  at_iteration: number;
  /** Config in the experiment's folder. */
  config: EvolveConfig;
}

/** Content of `fork.json`. */
interface ForkOrigin {
  /** URI of the experiment's folder. */
  artifacts: string;
  at_iteration: number;
}

function originOf({ store, at_iteration }: ForkSource): ForkOrigin {
  return { artifacts: store.uri, at_iteration };
}

/** Lists the numbers of an experiment's finished iterations, in order. */
export async function finishedIterations(store: ArtifactStore): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { key } of store.list(evolveStatesPrefix())) {
    const number = Number(/\/(\d+)\.json$/.exec(key)?.[1]);
    if (evolveStateKey(number) === key) numbers.push(number);
  }
  return numbers.sort((left, right) => left - right);
}

function refuse(message: string): never {
  throw new InvalidInputError(`fork: ${message}`, 'fork');
}

/**
 * Checks permission for a fork's origin, unless it and the fork are both in object stores. All of it is copied: content
 * of an object store must not get into a folder of the worker, where it might pass for the worker's own.
 * @param target address of the fork
 * @throws NotPermittedError
 */
function checkOrigin(address: string, target: string): void {
  const place = resolveLocation(address, process.cwd());
  if (!isRemote(place) || !isRemote(target)) checkFile('fork', place);
}

/**
 * Finds the experiment that a fork names.
 * @param resultsDir folder of the fork's results; an experiment there needs no permission of its own.
 * @throws InvalidInputError where there is none, or it has not finished that iteration.
 */
export async function findFork(
  openStore: OpenStore,
  resultsDir: string,
  { experiment, at_iteration }: EvolveFork,
): Promise<ForkSource> {
  const isBeside = experiment.startsWith(`${resultsDir}/`);
  if (!isBeside) checkOrigin(experiment, resultsDir);
  const name = isBeside ? experiment.slice(resultsDir.length + 1) : experiment;
  const store = openStore(experiment);
  const config = await readStoredConfig(store);
  if (config === null) {
    refuse(`there is no experiment '${name}' in ${isBeside ? resultsDir : 'that place'}`);
  }
  const finished = await finishedIterations(store);
  if (!finished.includes(at_iteration)) {
    const last = finished.at(-1);
    refuse(
      last === undefined
        ? `'${name}' has not finished any iteration`
        : `'${name}' has finished the iterations 0 to ${last}, not ${at_iteration}`,
    );
  }
  return { store, at_iteration, config: config as unknown as EvolveConfig };
}

/**
 * Finds the experiment that a config begins from; null where it is no fork.
 * @throws InvalidInputError where it does not exist, or the config cannot continue from it.
 */
export async function forkOf(openStore: OpenStore, config: EvolveConfig): Promise<ForkSource | null> {
  if (config.fork === null) return null;
  const source = await findFork(openStore, config.output.results_dir, config.fork);
  checkFork(source, config);
  return source;
}

/**
 * Checks that a fork keeps the settings that its experiment's state depends on.
 * @throws InvalidInputError where it does not.
 */
function checkFork(source: ForkSource, config: EvolveConfig): void {
  checkForkedDomain(source, config);
  checkForkedSelection(source, config);
}

/** Checks the domain: scores can be compared only within one domain. */
function checkForkedDomain(source: ForkSource, config: EvolveConfig): void {
  const [before, asked] = [source.config.domain, config.domain].map((domain) => JSON.stringify(domain));
  const field = firstDifferentField(JSON.parse(before as string), JSON.parse(asked as string), 'domain');
  if (field === null) return;
  throw new InvalidInputError(
    `${field}: a fork continues from the scores of its experiment, which come from the domain ${before}; keep that, or begin a new experiment without the fork`,
    field,
  );
}

/** Checks the selection: after iteration 0 its state depends on its kind, and on the seed that it draws with. */
function checkForkedSelection({ config: before, at_iteration }: ForkSource, config: EvolveConfig): void {
  if (at_iteration === 0) return;
  const kept = before.selection.type === 'top_k' ? {} : { seed: before.seed };
  const field = firstDifferentField(
    { selection: before.selection, ...kept },
    { selection: config.selection, ...('seed' in kept ? { seed: config.seed } : {}) },
  );
  if (field === null) return;
  const has = field === 'seed' ? `seed ${before.seed}` : JSON.stringify(before.selection);
  throw new InvalidInputError(
    `${field}: after iteration ${at_iteration} a fork continues with the selection of its experiment, which began with ${has}; keep that, fork at iteration 0, or begin a new experiment`,
    field,
  );
}

/** Returns the config of a fork that names no other: the experiment's own, with its copies of the examples. */
export function forkedConfig({ store, config }: ForkSource, resultsDir: string): Record<string, unknown> {
  const copies = RUN_TYPES.filter((type) => config.data[type] != null).map((type) => [
    type,
    `${store.uri}/${evolveExamplesKey(type)}`,
  ]);
  const data =
    config.data.generate === undefined ? { ...config.data, ...Object.fromEntries(copies) } : config.data;
  return { ...config, data, fork: null, output: { ...config.output, results_dir: resultsDir } };
}

/**
 * Copies what a fork begins with: the iterations up to the one it begins after, with their calls and runs. Its state is
 * written last: with it, the copy is complete. May be repeated.
 */
export async function copyFork(source: ForkSource, target: ArtifactStore): Promise<void> {
  const { store, at_iteration } = source;
  await target.write(evolveForkKey(), readableJson(originOf(source)));
  const iterations = Array.from({ length: at_iteration + 1 }, (_, iteration) => iteration);
  for (const iteration of iterations) await copyBelow(store, target, `${iterationFolder(iteration)}/`);
  const state = await readJson<EvolveState>(store, evolveStateKey(at_iteration));
  if (state === null) throw missingFile(store, evolveStateKey(at_iteration));
  const made = new Set(state.nodes.map(({ id }) => id));
  await copyBelow(store, target, callsPrefix(), ({ record }: StoredCall) => {
    const [scaffold = '', iteration] = record.sample_id.split('/');
    return record.purpose === 'executor' ? Number(iteration) <= at_iteration : made.has(scaffold);
  });
  await copyBelow(store, target, scaffoldRunsPrefix(), (run: ScaffoldJob) => run.iteration <= at_iteration);
  // The scorer's code is included, so that a later change of it is noticed.
  if (await store.exists(codeKey())) await copy(store, target, codeKey());
  for (const iteration of iterations) await copy(store, target, evolveStateKey(iteration));
}

/**
 * Opens the store of a fork's origin, which may have done more since, such as the validation of the same scaffolds on
 * the same examples: a finished run with the same key is used and not paid again. Null where it is no fork.
 */
export async function inheritedStore(
  store: ArtifactStore,
  openStore: OpenStore,
): Promise<ArtifactStore | null> {
  const origin = await readJson<ForkOrigin>(store, evolveForkKey());
  if (origin === null) return null;
  checkOrigin(origin.artifacts, store.uri);
  return openStore(origin.artifacts);
}

async function copyBelow<Stored>(
  store: ArtifactStore,
  target: ArtifactStore,
  prefix: string,
  wanted?: (stored: Stored) => boolean,
): Promise<void> {
  const keys = await keysBelow(store, prefix);
  await forEachConcurrently(keys, CONCURRENT_COPIES, (key) =>
    copy(store, target, key, wanted as ((stored: unknown) => boolean) | undefined),
  );
}

async function copy(
  store: ArtifactStore,
  target: ArtifactStore,
  key: string,
  wanted?: (stored: unknown) => boolean,
): Promise<void> {
  const bytes = await store.read(key);
  if (bytes === null) return;
  if (wanted === undefined || wanted(parseJson(Buffer.from(bytes).toString('utf8'), store, key))) {
    await target.write(key, bytes);
  }
}
