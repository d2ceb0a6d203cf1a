import { createHash } from 'node:crypto';
import type { OpenStore } from '../../activities/locate.js';
import { askedOfModel, differenceOf, isWhole } from '../../config/pacing.js';
import { isMapping } from '../../contracts/json.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import type { Found, Left } from '../../storage/experiment-folder.js';
import { artifactKeys, experimentFolderName } from '../../storage/paths.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { readStoredConfig } from '../../storage/stored-config.js';
import { readJson } from '../../storage/stored-file.js';
import { judgeConfigs } from './config.js';
import type { JudgeMetrics } from './contracts.js';
import { judgementPrefix } from './paths.js';
import type { JudgeConfig } from './schema.js';

/** Characters of a judgement's name that come from its rubric's, and of all but the hash. */
const LONGEST_RUBRIC = 40;
const LONGEST_TITLE = 80;

/**
 * The name of a judgement's folder: its rubric and its judge, and a hash of what is asked of them. The same judge and
 * the same rubric make the same name, so that judging again goes on where it was; anything else makes another.
 */
export function judgementName({ rubric, lm }: Pick<JudgeConfig, 'rubric' | 'lm'>): string {
  const asked = JSON.stringify([rubric, askedOfModel(lm)], (_, value) => inOrder(value));
  const hash = createHash('sha256').update(asked).digest('hex').slice(0, 8);
  const title = `${rubric.name.slice(0, LONGEST_RUBRIC)}-${lm.model}`.slice(0, LONGEST_TITLE);
  return `${experimentFolderName(title)}-${hash}`;
}

/** A mapping with its fields in the order of their names: a config that was read again has them in another one. */
function inOrder(value: unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The name of the experiment's folder. */
export function experimentOf({ experiment }: Pick<JudgeConfig, 'experiment'>): string {
  return experiment.split(/[/\\]/).filter(Boolean).at(-1) ?? experiment;
}

/** The store of the experiment, and that of the judgement within it. */
export function judgementStores(
  openStore: OpenStore,
  config: JudgeConfig,
): { experiment: ArtifactStore; store: ArtifactStore } {
  const experiment = openStore(config.experiment);
  return { experiment, store: experiment.within(judgementPrefix(judgementName(config))) };
}

/** The id of a judgement's workflow: its folder, from the experiment's name on. */
export function judgementId(config: JudgeConfig): string {
  return `${experimentOf(config)}/${judgementPrefix(judgementName(config))}`;
}

/** What lies in the folder of a judgement. One that is finished is gone through again, and pays for nothing. */
export async function foundJudgement(
  openStore: OpenStore,
  id: string,
  config: JudgeConfig,
): Promise<Found<JudgeConfig>> {
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

/** An unfinished judgement of the same experiment by a rubric and a judge of the same names, which ask something else. */
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
    const differs = differenceOf(judgeConfigs, stored, config);
    const left = `${id.slice(0, id.indexOf('/'))}/${name}`;
    if (differs !== null) return { id: left, differs };
  }
  return null;
}
