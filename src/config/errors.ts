import { distance } from 'fastest-levenshtein';

/**
 * Error in the user's input. The message names the field and how to correct it. The CLI prints it and exits with 2; a
 * workflow fails with it at once.
 */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  constructor(
    message: string,
    /** Path of the field in the config, e.g. `runtime.num_trials`; empty if no single field is wrong. */
    readonly field: string = '',
  ) {
    super(message);
  }
}

/** Returns the known word that a mistyped one most likely meant, or null. */
export function closestWord(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestEdits = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** Returns the known words that a word resembles most, the nearest first. */
export function nearestWords(word: string, known: readonly string[], count: number): string[] {
  const edits = (other: string) => distance(word.toLowerCase(), other.toLowerCase());
  return known
    .map((other) => ({ other, edits: edits(other) }))
    .sort((left, right) => left.edits - right.edits)
    .slice(0, count)
    .map(({ other }) => other);
}
