import { firstAgentEvalDifference } from '../config/agent-eval-fingerprint.js';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';
import { firstDifference } from '../config/fingerprint.js';
import { type PaceChange, paceChange } from '../config/pacing.js';
import type { RunConfig } from '../config/schema.js';
import { isMapping } from '../contracts/json.js';
import type { AnyMetrics } from '../statistics/judged.js';
import type { ArtifactStore } from './artifact-store.js';
import { artifactKeys, experimentFolderName } from './paths.js';
import { readRetry } from './retry-marker.js';
import { readStoredConfig } from './stored-config.js';
import { readJson } from './stored-file.js';

/** `absent`: free. `unfinished`: the same question, to be continued. `taken`: complete, or something else. */
export type FolderState = 'absent' | 'unfinished' | 'taken';

/** How configs of one kind of experiment are told from others and from each other. */
export interface ConfigKind<Config> {
  /** Whether a value is a whole config of the kind: a folder of the same name may hold another kind's. */
  isOne(value: unknown): boolean;
  /** The first field in which a config asks for something else than an earlier one; null where there is none. */
  difference(earlier: Config, asked: Config): string | null;
  /** How two that ask the same differ in their pace. */
  pace(earlier: Config, asked: Config): PaceChange;
}

export const RUN_CONFIGS: ConfigKind<RunConfig> = {
  isOne: (value) => isMapping(value) && isMapping(value.runtime) && isMapping(value.dataset),
  difference: firstDifference,
  pace: (earlier, asked) => {
    const { concurrency, fixed } = paceChange(earlier, asked, {
      concurrency: 'runtime.concurrency',
      free: ['name'],
    });
    // Samples that share a memory go one after another.
    return { concurrency: asked.runtime.memory_scope === 'run' ? null : concurrency, fixed };
  },
};

export const AGENT_EVAL_CONFIGS: ConfigKind<AgentEvalConfig> = {
  isOne: (value) => isMapping(value) && Array.isArray(value.datasets) && isMapping(value.agent),
  difference: firstAgentEvalDifference,
  pace: (earlier, asked) => paceChange(earlier, asked, { concurrency: 'concurrency', free: ['name', 'now'] }),
};

/**
 * The config of the unfinished experiment in a folder that a config means.
 * @returns `taken` where the folder holds something that is left alone.
 */
export async function unfinishedConfig<Config extends object>(
  store: ArtifactStore,
  config: Config,
  kind: ConfigKind<Config>,
): Promise<Config | 'absent' | 'taken'> {
  const { earlier, state } = await looked(store, config, kind);
  return state === 'unfinished' ? earlier : state;
}

/** `differs`, `done`: see {@link FoundFolder}. */
type Looked<Config> = { differs: string | null; done: AnyMetrics | null } & (
  | { state: 'absent' | 'taken'; earlier: null }
  | { state: 'unfinished'; earlier: Config }
);

const ABSENT = { state: 'absent', earlier: null, differs: null, done: null } as const;
const TAKEN = { state: 'taken', earlier: null, differs: null, done: null } as const;

/** The metrics of a folder that is done; null where it is not. */
function doneMetrics(metrics: AnyMetrics): AnyMetrics | null {
  return metrics.status === 'done' ? metrics : null;
}

/** Whether there is a row of results. */
async function holdsResults(store: ArtifactStore): Promise<boolean> {
  const rows = await store.openRead(artifactKeys.results);
  if (rows === null) return false;
  for await (const chunk of rows) if (String(chunk).trim() !== '') return true;
  return false;
}

async function looked<Config extends object>(
  store: ArtifactStore,
  config: Config,
  { isOne, difference }: ConfigKind<Config>,
): Promise<Looked<Config>> {
  const metrics = await readJson<AnyMetrics>(store, artifactKeys.metrics);
  const done = metrics === null ? null : doneMetrics(metrics);
  if (done !== null && (await readRetry(store)) === null) return { ...TAKEN, done };
  const stored = await readStoredConfig(store);
  // A folder that was deleted while its experiment ran, and that said so at its end, is begun in again.
  if (stored === null) return done === null && !(await holdsResults(store)) ? ABSENT : TAKEN;
  if (!isOne(stored)) return TAKEN;
  const earlier = stored as Config;
  const differs = difference(earlier, config);
  return differs === null ? { state: 'unfinished', earlier, differs, done: null } : { ...TAKEN, differs };
}

/** What a folder is to an experiment. */
export interface FoundFolder {
  state: FolderState;
  /** Why an unfinished experiment there is not continued; null where there is none, or it is. */
  differs: string | null;
  /** The metrics of one that is done; null where there is none. */
  done: AnyMetrics | null;
}

/** Why an unfinished experiment is not gone on with. */
export function leftText(id: string, differs: string): string {
  return `${id} is unfinished and stays so, since ${differs} differs: this one is begun anew, and pays for its own calls.`;
}

/** What a config's rows are called where they differ. */
export const THE_ROWS = 'the content of the dataset';

/** @param holdsRows whether it was made for the rows that the config names now; asked where all else is the same. */
export async function foundFolder<Config extends object>(
  store: ArtifactStore,
  config: Config,
  kind: ConfigKind<Config>,
  holdsRows: (store: ArtifactStore, earlier: Config) => Promise<boolean>,
): Promise<FoundFolder> {
  const { state, earlier, differs, done } = await looked(store, config, kind);
  if (state !== 'unfinished' || (await holdsRows(store, earlier))) return { state, differs, done };
  return { state: 'taken', differs: THE_ROWS, done };
}

/** `name`, `name-2`, `name-3`, … */
export function* candidateNames(name: string): Generator<string> {
  const first = experimentFolderName(name);
  yield first;
  for (let number = 2; ; number++) yield `${first}-${number}`;
}

/**
 * The folder for a run: an unfinished one of the same config and rows is continued, a finished one is never written over.
 */
export async function chooseExperiment(
  results: ArtifactStore,
  name: string,
  config: RunConfig,
  holdsRows: (store: ArtifactStore) => Promise<boolean>,
): Promise<{ experiment: string; state: 'absent' | 'unfinished' }> {
  for (const experiment of candidateNames(name)) {
    const { state } = await foundFolder(results.within(experiment), config, RUN_CONFIGS, holdsRows);
    if (state !== 'taken') return { experiment, state };
  }
  throw new Error('unreachable: there are endlessly many names');
}
