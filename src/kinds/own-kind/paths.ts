import { padded } from '../../storage/paths.js';

/** Returns the key of a sample's row. */
export function sampleKey(sample: number): string {
  return `${samplesPrefix()}${padded(sample)}.json`;
}

/** Returns the prefix of the keys of samples' rows. */
export function samplesPrefix(): string {
  return 'samples/';
}

/** Returns the number in a {@link sampleKey} or a {@link sampleErrorKey}. */
export function sampleOf(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf('/') + 1), 10);
}

/** Returns the key of the error of a sample that was given up. */
export function sampleErrorKey(sample: number): string {
  return `${sampleErrorsPrefix()}${padded(sample)}.json`;
}

/** Returns the prefix of the keys of samples' errors. */
export function sampleErrorsPrefix(): string {
  return 'errors/';
}
