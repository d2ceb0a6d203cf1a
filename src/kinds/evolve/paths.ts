import { segment } from '../../storage/paths.js';

/** Returns the key of a scaffold's run, by its hash; runs are kept, because an experiment may be extended. */
export function scaffoldRunKey(key: string): string {
  return `${scaffoldRunsPrefix()}${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Returns the prefix of all runs of scaffolds. */
export function scaffoldRunsPrefix(): string {
  return 'runs/';
}

/** Returns the key of the state after an iteration. */
export function evolveStateKey(iteration: number): string {
  return `state/${iteration}.json`;
}

/** Returns the prefix of the states after each iteration. */
export function evolveStatesPrefix(): string {
  return 'state/';
}

/** Returns the key of an evolution's own copy of its training, validation or test examples. */
export function evolveExamplesKey(type: 'train' | 'valid' | 'test'): string {
  return `${evolveExamplesPrefix()}${type}.jsonl`;
}

/** Returns the prefix of an evolution's examples. */
function evolveExamplesPrefix(): string {
  return 'data/';
}

/** Returns the key of a fork's origin. */
export function evolveForkKey(): string {
  return 'fork.json';
}
