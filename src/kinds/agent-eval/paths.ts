import { padded, segment } from '../../storage/paths.js';

/** Returns the key of an evaluation's own copy of a bundle's row, with its seed. */
export function bundleRowKey(id: string): string {
  return `rows/${segment(id)}.json`;
}

/** Returns the key of a rollout's result. */
export function rolloutResultKey(row: string, rollout: number): string {
  return `${rolloutsFolder()}/${segment(row)}/${padded(rollout, 4)}.json`;
}

/** Returns the folder of the results of rollouts, which is deleted when the evaluation is done. */
export function rolloutsFolder(): string {
  return 'rollouts';
}
