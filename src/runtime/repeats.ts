import type { CutOffAttempts, Repeats } from '../contracts/step-cost.js';

type OfCall = { repeated?: number | undefined; maybe_repeated?: number | undefined };

function figures(repeated: number, maybe: number): Repeats {
  return { lm_calls_repeated: repeated, ...(maybe === 0 ? {} : { lm_calls_maybe_repeated: maybe }) };
}

/** Returns the counts that one call adds to an experiment's figures. */
export function repeatsOfCall({ repeated = 0, maybe_repeated = 0 }: OfCall): Repeats {
  return figures(repeated, maybe_repeated);
}

/** Adds two; a count of zero is left out. */
export function addRepeats(left: Repeats, right: Repeats): Repeats {
  return figures(
    left.lm_calls_repeated + right.lm_calls_repeated,
    (left.lm_calls_maybe_repeated ?? 0) + (right.lm_calls_maybe_repeated ?? 0),
  );
}

/** Adds those of several calls. */
export function sumRepeats(calls: readonly OfCall[]): Repeats {
  return calls.map(repeatsOfCall).reduce(addRepeats, figures(0, 0));
}

/** Returns the counts of cut-off requests for a call's record. */
export function repeatsOf({ crashes, sent }: CutOffAttempts): { repeated: number; maybe_repeated?: number } {
  const maybe = crashes - sent;
  return { repeated: sent, ...(maybe === 0 ? {} : { maybe_repeated: maybe }) };
}

/** Returns the cut-off requests of a call from its record. */
export function cutOffOf({ repeated = 0, maybe_repeated = 0 }: OfCall): CutOffAttempts {
  return { crashes: repeated + maybe_repeated, sent: repeated };
}

/** Returns the larger of each count. */
export function largerCutOff(left: CutOffAttempts, right: CutOffAttempts): CutOffAttempts {
  return { crashes: Math.max(left.crashes, right.crashes), sent: Math.max(left.sent, right.sent) };
}
