import { parse } from 'yaml';
import { firstAgentEvalDifference } from '../config/agent-eval-fingerprint.js';
import type { AgentEvalConfig } from '../config/agent-eval-schema.js';
import { firstDifference } from '../config/fingerprint.js';
import type { RunConfig } from '../config/schema.js';
import { isMapping } from '../contracts/json.js';
import type { Metrics } from '../contracts/results.js';
import type { ArtifactStore } from './artifact-store.js';
import { artifactKeys, experimentFolderName } from './paths.js';

/** `absent`: free. `unfinished`: the same question, to be continued. `taken`: complete, or something else. */
export type FolderState = 'absent' | 'unfinished' | 'taken';

/** How configs of one kind of experiment are told from others and from each other. */
export interface ConfigKind<Config> {
  /** Whether a value is a whole config of the kind: a folder of the same name may hold another kind's. */
  isOne(value: unknown): boolean;
  /** The first field in which a config asks for something else than an earlier one; null where there is none. */
  difference(earlier: Config, asked: Config): string | null;
}

export const RUN_CONFIGS: ConfigKind<RunConfig> = {
  isOne: (value) => isMapping(value) && isMapping(value.runtime) && isMapping(value.dataset),
  difference: firstDifference,
};

export const AGENT_EVAL_CONFIGS: ConfigKind<AgentEvalConfig> = {
  isOne: (value) => isMapping(value) && Array.isArray(value.datasets) && isMapping(value.agent),
  difference: firstAgentEvalDifference,
};

/**
 * The config of the unfinished experiment in a folder that a config means.
 * @returns `taken` where the folder holds something that is left alone.
 */
export async function unfinishedConfig<Config extends object>(
  store: ArtifactStore,
  config: Config,
  { isOne, difference }: ConfigKind<Config>,
): Promise<Config | 'absent' | 'taken'> {
  const [metrics, text] = await Promise.all([
    store.readText(artifactKeys.metrics),
    store.readText(artifactKeys.config),
  ]);
  if (metrics !== null && (JSON.parse(metrics) as Metrics).status === 'done') return 'taken';
  if (text === null) return metrics === null ? 'absent' : 'taken';
  const stored: unknown = parse(text);
  return isOne(stored) && difference(stored as Config, config) === null ? (stored as Config) : 'taken';
}

export async function folderState<Config extends object>(
  store: ArtifactStore,
  config: Config,
  kind: ConfigKind<Config>,
): Promise<FolderState> {
  const there = await unfinishedConfig(store, config, kind);
  return typeof there === 'string' ? there : 'unfinished';
}

/** `name`, `name-2`, `name-3`, … */
export function* candidateNames(name: string): Generator<string> {
  const first = experimentFolderName(name);
  yield first;
  for (let number = 2; ; number++) yield `${first}-${number}`;
}

/**
 * The folder for a run: an unfinished one of the same config is continued, a finished one is never written over.
 */
export async function chooseExperiment(
  results: ArtifactStore,
  name: string,
  config: RunConfig,
): Promise<{ experiment: string; state: 'absent' | 'unfinished' }> {
  for (const experiment of candidateNames(name)) {
    const state = await folderState(results.within(experiment), config, RUN_CONFIGS);
    if (state !== 'taken') return { experiment, state };
  }
  throw new Error('unreachable: there are endlessly many names');
}
