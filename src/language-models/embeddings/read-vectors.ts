import { LanguageModelError } from '../errors.js';

export interface ExpectedVectors {
  provider: string;
  serverName: string;
  /** Number of texts that were sent. */
  texts: number;
  /** Requested length. */
  dimensions?: number;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isFinite);
}

/**
 * Checks the vectors in a provider's response.
 * @throws LanguageModelError: `malformed_reply` if they are no vectors, too few or too many, or differ in length;
 * `configuration` if the server ignores `dimensions`, which another attempt would not change.
 */
export function readVectors(
  value: unknown,
  { provider, serverName, texts, dimensions }: ExpectedVectors,
): Float32Array[] {
  const fail = (problem: string): never => {
    throw new LanguageModelError('malformed_reply', `${serverName} sent ${problem}`, { provider });
  };
  if (!Array.isArray(value)) return fail('no list of vectors');
  if (value.length !== texts) return fail(`${value.length} vectors for ${texts} texts`);
  const [first] = value;
  for (const [index, vector] of value.entries()) {
    if (!isVector(vector))
      return fail(`something that is no list of numbers as vector ${index + 1} of ${texts}`);
    if (vector.length !== first.length)
      return fail(`vectors of ${first.length} and of ${vector.length} numbers`);
  }
  if (dimensions !== undefined && texts > 0 && first.length !== dimensions) {
    throw new LanguageModelError(
      'configuration',
      `${serverName} sent vectors of ${first.length} numbers where ${dimensions} were asked for: ` +
        'leave dimensions out, or choose a model that can shorten its vectors',
      { provider },
    );
  }
  return value.map((vector: number[]) => Float32Array.from(vector));
}
