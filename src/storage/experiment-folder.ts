import type { ConfigKind } from '../config/kind.js';
import { differenceOf, isWhole } from '../config/pacing.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { ArtifactStore } from './artifact-store.js';
import { artifactKeys, experimentFolderName } from './paths.js';
import { readRetry } from './retry-marker.js';
import { readStoredConfig } from './stored-config.js';
import { readJson } from './stored-file.js';

/** An experiment that is left as it is, while another one is begun. */
export interface Left {
  id: string;
  /** The first field in which it asks for something else. */
  differs: string;
}

/** An experiment that is finished. */
export interface Done {
  id: string;
  artifacts: string;
  metrics: ExperimentMetrics;
}

/** What lies where an experiment would. */
export interface Found<Config> {
  store: ArtifactStore;
  /** `absent`: nothing. `unfinished`: the same experiment, which is continued. `taken`: something that is left alone. */
  state: 'absent' | 'unfinished' | 'taken';
  /** The config of the folder, where it is a whole one of the kind. */
  earlier: Config | null;
  /** An unfinished experiment of that name which is not continued. */
  left: Left | null;
  /** The newest experiment of that name which asks the same and is finished. */
  done: Done | null;
}

/** Whether there is a row of results. */
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

/** What a config's rows are called where they differ. */
export const THE_ROWS = 'the content of the dataset';

/**
 * What the folder of a name is to an experiment whose folder is named as its workflow is.
 * @param holdsRows whether it was made for the rows that the config names now; asked where all else is the same.
 */
export async function foundFolder<Config extends object>(
  store: ArtifactStore,
  id: string,
  config: Config,
  kind: ConfigKind<Config>,
  holdsRows: (earlier: Config) => Promise<boolean>,
): Promise<Found<Config>> {
  const nothing = { store, earlier: null, left: null, done: null };
  const metrics = await readJson<ExperimentMetrics>(store, artifactKeys.metrics);
  if (metrics?.status === 'done' && (await readRetry(store)) === null) {
    return { ...nothing, state: 'taken', done: { id, artifacts: store.uri, metrics } };
  }
  const stored = await readStoredConfig(store);
  if (stored === null) {
    // A folder that was deleted while its experiment ran, and that said so at its end, is begun in again.
    const isFree = metrics?.status !== 'done' && !(await holdsResults(store));
    return { ...nothing, state: isFree ? 'absent' : 'taken' };
  }
  if (!isWhole(kind, stored)) return { ...nothing, state: 'taken' };
  const differs = differenceOf(kind, stored, config) ?? ((await holdsRows(stored)) ? null : THE_ROWS);
  const found = { ...nothing, earlier: stored };
  return differs === null
    ? { ...found, state: 'unfinished' }
    : { ...found, state: 'taken', left: { id, differs } };
}

/** `name`, `name-2`, `name-3`, … */
export function* candidateNames(name: string): Generator<string> {
  const first = experimentFolderName(name);
  yield first;
  for (let number = 2; ; number++) yield `${first}-${number}`;
}

/**
 * Chooses the folder of an experiment: an unfinished one that asks the same is continued, a finished one is never written
 * over.
 * @param find says what lies in the folder of a name
 */
export async function chooseFolder<Config>(
  name: string,
  find: (id: string) => Promise<Found<Config>>,
): Promise<{ experiment: string; state: 'absent' | 'unfinished'; earlier: Config | null }> {
  for (const experiment of candidateNames(name)) {
    const { state, earlier } = await find(experiment);
    if (state !== 'taken') return { experiment, state, earlier };
  }
  throw new Error('unreachable: there are endlessly many names');
}
