import { padded, segment } from '../../storage/paths.js';

/** An evaluation's own copy of a bundle's row, with its seed. */
export function bundleRowKey(id: string): string {
  return `rows/${segment(id)}.json`;
}

/** What a rollout came to. */
export function rolloutResultKey(row: string, rollout: number): string {
  return `${rolloutsFolder()}/${segment(row)}/${padded(rollout, 4)}.json`;
}

/** Where the results of rollouts lie until an evaluation is done. */
export function rolloutsFolder(): string {
  return 'rollouts';
}
