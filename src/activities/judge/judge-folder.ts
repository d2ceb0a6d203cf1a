import { createHash } from 'node:crypto';
import { askedOfModel } from '../../config/asked-of-model.js';
import type { JudgeConfig } from '../../config/judge-schema.js';
import { isMapping } from '../../contracts/json.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { experimentFolderName, judgementPrefix } from '../../storage/paths.js';
import type { OpenStore } from '../locate.js';

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
