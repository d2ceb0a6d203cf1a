/** What a grader says of one reply. */
export interface Grade {
  correct: boolean;
  /** The answer that was taken from the reply; `null` where none was found. */
  extracted: string | null;
  /** One short sentence: why. */
  message: string;
}

/**
 * Decides whether two mathematical answers are equal; `undefined` where that could not be decided. A caller may
 * stand a worker thread with bounds behind it. `tolerance` is relative to the right-hand side (the target).
 * Rejects with {@link ComparisonUnavailableError} where nothing was compared, and with {@link GradingLimitError} where
 * the comparison was ended.
 */
export type SymbolicComparer = (
  left: string,
  right: string,
  tolerance?: number,
) => Promise<boolean | undefined>;

/**
 * The answers could not be put to the maths library: a thread did not start, or was ended from outside. It says nothing
 * of them, so it is no grade; later it may work.
 */
export class ComparisonUnavailableError extends Error {
  override readonly name = 'ComparisonUnavailableError';

  constructor(cause: unknown) {
    super(`answers cannot be compared: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * A comparison used up what one may take of the processor's time or of memory. Whether the two are equal nobody knows, so
 * it is no grade; a retry at once would end the same way.
 */
export class GradingLimitError extends Error {
  override readonly name = 'GradingLimitError';
}

const LONGEST_QUOTE = 60;

/** An answer as a message quotes it: one line, cut where it is long. */
export function quote(answer: string): string {
  const line = answer.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE - 1)}…`;
}
