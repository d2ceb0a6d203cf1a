import type { EmbedLimits } from '../contracts/embeddings.js';

/** Returns the UTF-8 bytes of a text; an unpaired surrogate counts as the three bytes of U+FFFD, which replaces it. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Distributes items to requests in their order. An item above the limit of bytes gets its own request. */
export function requestBatches<Item>(
  items: readonly Item[],
  limits: EmbedLimits,
  textOf: (item: Item) => string,
): Item[][] {
  const batches: Item[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const added = bytesOf(textOf(item));
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= limits.texts || bytes + added > limits.bytes) {
      batches.push([item]);
      bytes = added;
    } else {
      batch.push(item);
      bytes += added;
    }
  }
  return batches;
}
