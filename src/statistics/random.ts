/** Returns the next number of a sequence, in [0, 1). */
export type Random = () => number;

/**
 * Creates a small, fast generator with a sequence that depends on its seed only: sfc32 (Doty-Humphrey, PractRand),
 * seeded with a hash of the seed's text. Not for secrets.
 */
export function createRandom(seed: number | string): Random {
  let [a, b, c, d] = hash128(String(seed));
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // Skip the first values, which still show the seed's pattern.
  for (let round = 0; round < 12; round += 1) next();
  return next;
}

/** Returns a shuffled copy (Fisher and Yates; Durstenfeld 1964). */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const chosen = Math.floor(random() * (last + 1));
    [result[last], result[chosen]] = [result[chosen] as Item, result[last] as Item];
  }
  return result;
}

/** Computes four 32-bit words from a text: FNV-1a with four offsets, each mixed by MurmurHash3's finaliser. */
function hash128(text: string): [number, number, number, number] {
  const word = (offset: number) => {
    let hash = 0x811c9dc5 ^ offset;
    for (let index = 0; index < text.length; index += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return hash ^ (hash >>> 16);
  };
  return [word(0x9e3779b9), word(0x243f6a88), word(0xb7e15162), word(0xdeadbeef)];
}
