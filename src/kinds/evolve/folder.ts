import { firstDifference, isWhole } from '../../config/pacing.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import type { Done, Left } from '../../storage/experiment-folder.js';
import { THE_ROWS } from '../../storage/experiment-folder.js';
import { artifactKeys, experimentFolderName } from '../../storage/paths.js';
import { StorageError } from '../../storage/storage-error.js';
import { readStoredConfig } from '../../storage/stored-config.js';
import { CHANGED, readJson } from '../../storage/stored-file.js';
import { type EvolveData, holdsEvolveData } from './activities/evolve-data.js';
import { evolveConfigs } from './config.js';
import type { EvolveState } from './contracts.js';
import { experimentFolder } from './evolution/layout.js';
import { type ForkSource, finishedIterations } from './fork.js';
import { evolveStateKey } from './paths.js';
import type { EvolveMetrics } from './results.js';
import type { EvolveConfig } from './schema.js';

export interface EvolveFolder {
  /** Name of the folder. */
  experiment: string;
  /**
   * `new`: nothing exists. `unfinished`: continues where it stopped. `extends`: had ended, and more iterations are
   * requested. `forks`: begins with the state of another experiment.
   */
  state: 'new' | 'unfinished' | 'extends' | 'forks';
  /** Experiment to copy before it begins; see `copyFork`. */
  from?: ForkSource;
  /** Newest unfinished experiment of the name, and what differs in it; only where nothing is continued. */
  left?: Left;
  /** Newest finished experiment with an equal config; only where nothing is continued. */
  done?: Done;
}

export interface EvolveFolderOptions {
  fork?: ForkSource | null;
  /** Examples; a folder that holds others belongs to another experiment. */
  data?: EvolveData;
}

/** Lists the folders of an experiment's name, the newest first. */
async function foldersOf(results: ArtifactStore, name: string): Promise<string[]> {
  const prefix = `${name}_`;
  const found = new Set<string>();
  for await (const { key } of results.list(prefix)) {
    const folder = key.slice(0, Math.max(key.indexOf('/'), 0));
    if (/^\d{8}_\d{6}$/.test(folder.slice(prefix.length))) found.add(folder);
  }
  return [...found].sort().reverse();
}

/** Finds the newest folder of an experiment by its name or the folder's own; null where there is none. */
export async function newestFolderOf(results: ArtifactStore, named: string): Promise<string | null> {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(named)) return null;
  if (await results.within(named).exists(artifactKeys.config)) return named;
  return (await foldersOf(results, named))[0] ?? null;
}

function isDamaged(error: unknown): boolean {
  return error instanceof StorageError && error.code === CHANGED.damaged;
}

/** Reads JSON as {@link readJson} does, but returns null for a damaged file too, such as a half-edited one. */
async function readWhole<Value>(store: ArtifactStore, key: string): Promise<Value | null> {
  try {
    return await readJson<Value>(store, key);
  } catch (error) {
    if (isDamaged(error)) return null;
    throw error;
  }
}

/**
 * Reads the config of a folder; null where there is none, or it is damaged.
 * @throws StorageError where it cannot be read but the folder has finished iterations, which would be paid for again.
 */
async function configIn(store: ArtifactStore): Promise<Record<string, unknown> | null> {
  try {
    return await readStoredConfig(store);
  } catch (error) {
    if (!isDamaged(error) || (await finishedIterations(store)).length > 0) throw error;
    return null;
  }
}

/** Names what differs between a folder and the config; null for nothing, undefined for a folder of another kind. */
async function differenceFrom(
  store: ArtifactStore,
  config: EvolveConfig,
  data: EvolveData | undefined,
): Promise<string | null | undefined> {
  const stored = await configIn(store);
  if (!isWhole(evolveConfigs, stored)) return undefined;
  const field = firstDifference(evolveConfigs, stored, config);
  if (field !== null) return field;
  return data === undefined || (await holdsEvolveData(store, data)) ? null : THE_ROWS;
}

interface Becomes {
  /** Null: the folder is left as it is. */
  state: 'unfinished' | 'extends' | null;
  /** First difference of an unfinished experiment that is not continued. */
  differs?: string;
  /** Metrics of a finished experiment with an equal config. */
  metrics?: EvolveMetrics;
}

/** Decides how a folder is used. */
async function stateOf(
  store: ArtifactStore,
  config: EvolveConfig,
  data: EvolveData | undefined,
): Promise<Becomes> {
  const differs = await differenceFrom(store, config, data);
  if (differs === undefined) return { state: null };
  const metrics = await readWhole<EvolveMetrics>(store, artifactKeys.metrics);
  if (differs !== null) return { state: null, ...(metrics?.status === 'done' ? {} : { differs }) };
  const asked = config.evolution.num_iterations;
  const reached = (await finishedIterations(store)).at(-1) ?? -1;
  if (metrics?.status === 'done' && metrics.num_iterations >= asked) return { state: null, metrics };
  if (reached > asked) return { state: null };
  if (metrics?.status !== 'done') return { state: 'unfinished' };
  // An extension has begun where it has gone beyond its metrics.
  return { state: reached > metrics.num_iterations ? 'unfinished' : 'extends' };
}

async function freeName(results: ArtifactStore, name: string, startedAt: string): Promise<string> {
  for (let time = Date.parse(startedAt); ; time += 1000) {
    const folder = experimentFolder(name, new Date(time).toISOString());
    const store = results.within(folder);
    const taken = (await store.exists(artifactKeys.config)) || (await store.exists(artifactKeys.metrics));
    if (!taken) return folder;
  }
}

/**
 * Chooses the folder of an experiment: the newest unfinished one with an equal config is continued, else the newest
 * finished one with fewer iterations is extended. Otherwise a new folder is named by the time: a finished experiment is
 * never overwritten. Folders of other experiments of the same name are left alone.
 * @param startedAt ISO 8601.
 */
export async function chooseEvolveFolder(
  results: ArtifactStore,
  config: EvolveConfig,
  startedAt: string,
  options: EvolveFolderOptions = {},
): Promise<EvolveFolder> {
  const name = experimentFolderName(config.name);
  const { fork, data } = options;
  let extended: string | null = null;
  let left: Left | undefined;
  let done: Done | undefined;
  for (const experiment of await foldersOf(results, name)) {
    const store = results.within(experiment);
    const { state, differs, metrics } = await stateOf(store, config, data);
    if (differs !== undefined) left ??= { id: experiment, differs };
    if (metrics !== undefined) done ??= { id: experiment, artifacts: store.uri, metrics };
    if (state === 'extends') extended ??= experiment;
    if (state !== 'unfinished') continue;
    const isCopied = fork == null || (await store.exists(evolveStateKey(fork.at_iteration)));
    return { experiment, state, ...(isCopied ? {} : { from: fork }) };
  }
  if (extended !== null) return { experiment: extended, state: 'extends' };
  const experiment = await freeName(results, name, startedAt);
  const begun = fork == null ? ({ state: 'new' } as const) : ({ state: 'forks', from: fork } as const);
  return {
    experiment,
    ...begun,
    ...(left === undefined ? {} : { left }),
    ...(done === undefined ? {} : { done }),
  };
}

/** Reads the state after the last finished iteration; null where none is finished. */
export async function latestEvolveState(store: ArtifactStore): Promise<EvolveState | null> {
  const last = (await finishedIterations(store)).at(-1);
  if (last === undefined) return null;
  return readJson<EvolveState>(store, evolveStateKey(last));
}
