import type { CutOff, Repeats } from '../contracts/step-cost.js';

type OfCall = { repeated?: number | undefined; maybe_repeated?: number | undefined };

function figures(repeated: number, maybe: number): Repeats {
  return { lm_calls_repeated: repeated, ...(maybe === 0 ? {} : { lm_calls_maybe_repeated: maybe }) };
}

/** What one call adds to an experiment's figures. */
export function repeatsOfCall({ repeated = 0, maybe_repeated = 0 }: OfCall): Repeats {
  return figures(repeated, maybe_repeated);
}

/** The sum; what there is none of is left out. */
export function addRepeats(left: Repeats, right: Repeats): Repeats {
  return figures(
    left.lm_calls_repeated + right.lm_calls_repeated,
    (left.lm_calls_maybe_repeated ?? 0) + (right.lm_calls_maybe_repeated ?? 0),
  );
}

/** Of several calls. */
export function sumRepeats(calls: readonly OfCall[]): Repeats {
  return calls.map(repeatsOfCall).reduce(addRepeats, figures(0, 0));
}

/** What is known of the requests of a call, as its record says it. */
export function repeatsOf({ crashes, sent }: CutOff): { repeated: number; maybe_repeated?: number } {
  const maybe = crashes - sent;
  return { repeated: sent, ...(maybe === 0 ? {} : { maybe_repeated: maybe }) };
}

/** The other way around. */
export function cutOffOf({ repeated = 0, maybe_repeated = 0 }: OfCall): CutOff {
  return { crashes: repeated + maybe_repeated, sent: repeated };
}

/** Whichever says more, figure by figure. */
export function largerCutOff(left: CutOff, right: CutOff): CutOff {
  return { crashes: Math.max(left.crashes, right.crashes), sent: Math.max(left.sent, right.sent) };
}
