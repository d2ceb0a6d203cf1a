/** Bytes that are compared and stored together: one SQLite page, unless a seed sets another page size. */
const PAGE = 4096;
const NUMBER = 4;

/**
 * Encodes a database as the pages that differ from those of the one it was made from: its length, then each page after
 * its number. A call changes only a few pages of a seed of megabytes.
 */
export function changedPages(base: Uint8Array, bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [number(bytes.length)];
  for (let page = 0; page * PAGE < bytes.length; page += 1) {
    const [before, after] = [pageOf(base, page), pageOf(bytes, page)];
    if (Buffer.compare(before, after) !== 0) parts.push(number(page), after);
  }
  return Buffer.concat(parts);
}

/** Restores the database that {@link changedPages} encoded. */
export function withPages(base: Uint8Array, changed: Uint8Array): Uint8Array {
  const read = Buffer.from(changed.buffer, changed.byteOffset, changed.length);
  const bytes = new Uint8Array(read.readUInt32LE(0));
  bytes.set(base.subarray(0, bytes.length));
  for (let at = NUMBER; at < changed.length; ) {
    const start = read.readUInt32LE(at) * PAGE;
    const page = changed.subarray(at + NUMBER, at + NUMBER + Math.min(PAGE, bytes.length - start));
    bytes.set(page, start);
    at += NUMBER + page.length;
  }
  return bytes;
}

function pageOf(bytes: Uint8Array, page: number): Uint8Array {
  return bytes.subarray(page * PAGE, (page + 1) * PAGE);
}

function number(value: number): Uint8Array {
  const bytes = Buffer.alloc(NUMBER);
  bytes.writeUInt32LE(value);
  return bytes;
}
