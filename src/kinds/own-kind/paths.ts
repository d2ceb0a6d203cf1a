import { padded } from '../../storage/paths.js';

/** A sample's row. */
export function sampleKey(sample: number): string {
  return `${samplesPrefix()}${padded(sample)}.json`;
}

/** Lists the rows of samples. */
export function samplesPrefix(): string {
  return 'samples/';
}

/** The number in a {@link sampleKey} or a {@link sampleErrorKey}. */
export function sampleOf(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf('/') + 1), 10);
}

/** Why a sample was given up. */
export function sampleErrorKey(sample: number): string {
  return `${sampleErrorsPrefix()}${padded(sample)}.json`;
}

/** Lists why samples were given up. */
export function sampleErrorsPrefix(): string {
  return 'errors/';
}
