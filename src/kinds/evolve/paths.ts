import { segment } from '../../storage/paths.js';

/** A run of a scaffold, under the hash that identifies it; kept, because an experiment may be extended. */
export function scaffoldRunKey(key: string): string {
  return `${scaffoldRunsPrefix()}${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Lists every run of a scaffold. */
export function scaffoldRunsPrefix(): string {
  return 'runs/';
}

/** What an evolution's next iteration begins with. */
export function evolveStateKey(iteration: number): string {
  return `state/${iteration}.json`;
}

/** Lists the states after each iteration. */
export function evolveStatesPrefix(): string {
  return 'state/';
}

/** An evolution's own copy of its training, validation or test examples. */
export function evolveExamplesKey(type: 'train' | 'valid' | 'test'): string {
  return `${evolveExamplesPrefix()}${type}.jsonl`;
}

/** Lists the files of an evolution's examples. */
function evolveExamplesPrefix(): string {
  return 'data/';
}

/** Where a forked evolution came from. */
export function evolveForkKey(): string {
  return 'fork.json';
}
