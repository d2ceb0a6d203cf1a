import { isUtf8 } from 'node:buffer';

const NEWLINE = 0x0a;

/**
 * Describes a fault in bytes that should be text; null for UTF-8. Decoding without this check would silently turn each
 * wrong byte into U+FFFD.
 */
export function utf8Fault(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return 'line 1 is UTF-16; save it as UTF-8';
  if (isUtf8(bytes)) return null;
  for (let line = 1, start = 0; ; line += 1) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.length : found;
    if (!isUtf8(bytes.subarray(start, end))) return `line ${line} is not UTF-8; save it in that encoding`;
    start = end + 1;
  }
}
