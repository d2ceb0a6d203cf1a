import type { ConfigKind } from '../config/kind.js';
import { firstDifference, isWhole } from '../config/pacing.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { ArtifactStore } from './artifact-store.js';
import { artifactKeys, experimentFolderName } from './paths.js';
import { readRetry } from './retry-marker.js';
import { readStoredConfig } from './stored-config.js';
import { readJson } from './stored-file.js';

/** An experiment that stays as it is, while another one is started. */
export interface Left {
  id: string;
  /** The first field in which its config differs. */
  differs: string;
}

export interface Done {
  id: string;
  artifacts: string;
  metrics: ExperimentMetrics;
}

/** Contents of an experiment's place. */
export interface FoundExperiment<Config> {
  store: ArtifactStore;
  /** `absent`: nothing. `unfinished`: the same experiment, which is continued. `taken`: must not be changed. */
  state: 'absent' | 'unfinished' | 'taken';
  /** The config in the folder, where it is complete and of the kind. */
  earlier: Config | null;
  /** An unfinished experiment of the name that is not continued. */
  left: Left | null;
  /** The newest finished experiment of the name with the same config. */
  done: Done | null;
}

/** Reports whether there is a row of results. */
async function holdsResults(store: ArtifactStore): Promise<boolean> {
  const rows = await store.openRead(artifactKeys.results);
  if (rows === null) return false;
  for await (const chunk of rows) if (String(chunk).trim() !== '') return true;
  return false;
}

/** Says why an unfinished experiment is not continued. */
export function leftText({ id, differs }: Left): string {
  return `${id} is unfinished and stays so, since ${differs} differs: this one is begun anew, and pays for its own calls.`;
}

/** Name of a config's rows in the message that they differ. */
export const THE_ROWS = 'the content of the dataset';

/**
 * Examines the folder of a name, for an experiment with the same workflow id.
 * @param holdsRows reports whether an earlier experiment has the rows that the config names now; called where all else
 * is equal.
 */
export async function foundFolder<Config extends object>(
  store: ArtifactStore,
  id: string,
  config: Config,
  kind: ConfigKind<Config>,
  holdsRows: (earlier: Config) => Promise<boolean>,
): Promise<FoundExperiment<Config>> {
  const nothing = { store, earlier: null, left: null, done: null };
  const metrics = await readJson<ExperimentMetrics>(store, artifactKeys.metrics);
  if (metrics?.status === 'done' && (await readRetry(store)) === null) {
    return { ...nothing, state: 'taken', done: { id, artifacts: store.uri, metrics } };
  }
  const stored = await readStoredConfig(store);
  if (stored === null) {
    // A folder that was deleted while its experiment ran, which its metrics report, is used again.
    const isFree = metrics?.status !== 'done' && !(await holdsResults(store));
    return { ...nothing, state: isFree ? 'absent' : 'taken' };
  }
  if (!isWhole(kind, stored)) return { ...nothing, state: 'taken' };
  const differs = firstDifference(kind, stored, config) ?? ((await holdsRows(stored)) ? null : THE_ROWS);
  const found = { ...nothing, earlier: stored };
  return differs === null
    ? { ...found, state: 'unfinished' }
    : { ...found, state: 'taken', left: { id, differs } };
}

/** Generates `name`, `name-2`, `name-3`, … */
export function* candidateNames(name: string): Generator<string> {
  const first = experimentFolderName(name);
  yield first;
  for (let number = 2; ; number++) yield `${first}-${number}`;
}

/**
 * Chooses the folder of an experiment: an unfinished one with the same config is continued, a finished one is never
 * overwritten.
 * @param find examines the folder of a name
 */
export async function chooseFolder<Config>(
  name: string,
  find: (id: string) => Promise<FoundExperiment<Config>>,
): Promise<{ experiment: string; state: 'absent' | 'unfinished'; earlier: Config | null }> {
  for (const experiment of candidateNames(name)) {
    const { state, earlier } = await find(experiment);
    if (state !== 'taken') return { experiment, state, earlier };
  }
  throw new Error('unreachable: there are endlessly many names');
}
