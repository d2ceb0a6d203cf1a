import { it } from 'vitest';

/** Whether there is time for what repeats, at length, what other tests show once (`scripts/nightly.sh`). */
export const IS_NIGHT = process.env.REPRISE_NIGHTLY !== undefined;

/** A test of what is rare, or that others show in a shorter way. */
export const atNight: typeof it | (() => void) = IS_NIGHT ? it : () => undefined;
