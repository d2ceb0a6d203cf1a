/** Judgement of a grader on one reply. */
export interface Grade {
  correct: boolean;
  /** The answer that was found in the reply; `null` where there is none. */
  extracted: string | null;
  /** The reason, as one short sentence. */
  message: string;
}

/**
 * Decides whether two mathematical answers are equal; `undefined` where that could not be decided. A worker thread with
 * limits may be behind it. `tolerance` is relative to the right-hand side (the target). Rejects with
 * {@link ComparisonUnavailableError} where nothing was compared, and with {@link GradingLimitError} where the
 * comparison was ended.
 */
export type SymbolicComparer = (
  left: string,
  right: string,
  tolerance?: number,
) => Promise<boolean | undefined>;

/**
 * The maths library could not be called: a thread did not start, or was ended from outside. Since that does not depend
 * on the answers, it is not a grade; a retry may succeed.
 */
export class ComparisonUnavailableError extends Error {
  override readonly name = 'ComparisonUnavailableError';

  constructor(cause: unknown) {
    super(`answers cannot be compared: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * A comparison exceeded its limit of processor time or memory. Whether the answers are equal is unknown, so it is not a
 * grade; an immediate retry would end the same way.
 */
export class GradingLimitError extends Error {
  override readonly name = 'GradingLimitError';
}

const LONGEST_QUOTE = 60;

/** Formats an answer for a message: one line, cut where it is long. */
export function quote(answer: string): string {
  const line = answer.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE - 1)}…`;
}
