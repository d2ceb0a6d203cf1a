/** Bytes that are compared and kept together: SQLite's own pages, unless a seed says otherwise. */
const PAGE = 4096;
const NUMBER = 4;

/**
 * A database as the pages in which it differs from the one that it was made from: its length, then each page after its
 * number. A call changes a few pages of a seed of megabytes.
 */
export function changedPages(base: Uint8Array, bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [number(bytes.length)];
  for (let page = 0; page * PAGE < bytes.length; page += 1) {
    const [before, after] = [pageOf(base, page), pageOf(bytes, page)];
    if (Buffer.compare(before, after) !== 0) parts.push(number(page), after);
  }
  return Buffer.concat(parts);
}

/** The database that {@link changedPages} were taken of. */
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
