import { createHash } from 'node:crypto';
import stableStringify from 'safe-stable-stringify';
import type { OpenStore } from '../../activities/locate.js';
import { askedOfModel, firstDifference, isWhole } from '../../config/pacing.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import type { FoundExperiment, Left } from '../../storage/experiment-folder.js';
import { artifactKeys, experimentFolderName } from '../../storage/paths.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { readStoredConfig } from '../../storage/stored-config.js';
import { readJson } from '../../storage/stored-file.js';
import { judgeConfigs } from './config.js';
import type { JudgeMetrics } from './contracts.js';
import { judgementPrefix } from './paths.js';
import type { JudgeConfig } from './schema.js';

/** Characters of a judgement's name: limits of the rubric's part, and of all but the hash. */
const LONGEST_RUBRIC = 40;
const LONGEST_TITLE = 80;

/**
 * Names a judgement's folder by its rubric, its judge, and a hash of what is requested of them. The same judge and the
 * same rubric make the same name, so that judging again continues there; any difference makes another name.
 */
export function judgementName({ rubric, lm }: Pick<JudgeConfig, 'rubric' | 'lm'>): string {
  const asked = stableStringify([rubric, askedOfModel(lm)]);
  const hash = createHash('sha256').update(asked).digest('hex').slice(0, 8);
  const title = `${rubric.name.slice(0, LONGEST_RUBRIC)}-${lm.model}`.slice(0, LONGEST_TITLE);
  return `${experimentFolderName(title)}-${hash}`;
}

/** Returns the name of the experiment's folder. */
export function experimentOf({ experiment }: Pick<JudgeConfig, 'experiment'>): string {
  return experiment.split(/[/\\]/).filter(Boolean).at(-1) ?? experiment;
}

/** Opens the store of the experiment, and that of the judgement within it. */
export function judgementStores(
  openStore: OpenStore,
  config: JudgeConfig,
): { experiment: ArtifactStore; store: ArtifactStore } {
  const experiment = openStore(config.experiment);
  return { experiment, store: experiment.within(judgementPrefix(judgementName(config))) };
}

/** Returns the id of a judgement's workflow: its folder, from the experiment's name on. */
export function judgementId(config: JudgeConfig): string {
  return `${experimentOf(config)}/${judgementPrefix(judgementName(config))}`;
}

/** Finds the state of a judgement's folder. A finished judgement is gone through again, at no cost. */
export async function foundJudgement(
  openStore: OpenStore,
  id: string,
  config: JudgeConfig,
): Promise<FoundExperiment<JudgeConfig>> {
  const { experiment, store } = judgementStores(openStore, config);
  const stored = await readStoredConfig(store);
  const earlier = isWhole(judgeConfigs, stored) ? stored : null;
  const state = stored === null ? 'absent' : 'unfinished';
  return {
    store,
    state,
    earlier,
    left: state === 'absent' ? await leftBeside(experiment, id, config) : null,
    done: null,
  };
}

/**
 * Finds an unfinished judgement of the same experiment whose rubric and judge have the same names but different
 * content.
 */
async function leftBeside(experiment: ArtifactStore, id: string, config: JudgeConfig): Promise<Left | null> {
  const hash = /-[\da-f]{8}$/;
  const folder = judgementPrefix(judgementName(config)).replace(hash, '');
  const keys = await keysBelow(experiment, `${folder}-`);
  const folders = new Set(keys.flatMap((key) => /^(.*)\/config\.yaml$/.exec(key)?.[1] ?? []));
  for (const name of folders) {
    if (name.replace(hash, '') !== folder) continue;
    const store = experiment.within(name);
    const stored = await readStoredConfig(store);
    const metrics = await readJson<JudgeMetrics>(store, artifactKeys.metrics);
    if (!isWhole(judgeConfigs, stored) || metrics?.status === 'done') continue;
    const differs = firstDifference(judgeConfigs, stored, config);
    const left = `${id.slice(0, id.indexOf('/'))}/${name}`;
    if (differs !== null) return { id: left, differs };
  }
  return null;
}
