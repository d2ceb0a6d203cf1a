/** Whether there is time for what repeats, at length, what other tests show once (`scripts/nightly.sh`). */
export const IS_NIGHT = process.env.REPRISE_NIGHTLY !== undefined;
