import { isUtf8 } from 'node:buffer';

const NEWLINE = 0x0a;

/**
 * What is wrong with bytes that are to be a text; null for UTF-8. Read all the same, each wrong byte would become U+FFFD,
 * and nobody would hear of it.
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
