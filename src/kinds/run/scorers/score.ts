/** Value of a score: right or wrong, a number from 0 to 1, or null where there is none. */
export type ScoreValue = number | boolean | null;

/** Score of an answer: one value, or several by name; the name '' is that of the scorer itself. */
export type Score = ScoreValue | Readonly<Record<string, ScoreValue>>;

/** Answer that a scorer cannot score, and why. It is no score: it is counted, and in no mean. */
export class UnscoredError extends Error {
  override readonly name = 'UnscoredError';
}
