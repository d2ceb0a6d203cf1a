import { describe, expect, test } from 'vitest';
import { capturedText } from '../../src/sandboxes/runner-protocol.js';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('captured output', () => {
  test('is the text that its bytes are', () => {
    expect(capturedText(Buffer.from('aé漢😀\0'), 100, false)).toEqual({ text: 'aé漢😀\0', truncated: false });
  });

  test('keeps a byte order mark, which is a character that the program wrote', () => {
    expect(capturedText(Buffer.from('\ufeffa'), 100, false).text).toBe('\ufeffa');
  });

  test('has U+FFFD where it is no UTF-8, the end included', () => {
    expect(capturedText(bytes(0x61, 0xff, 0x62, 0xe2, 0x82), 100, false)).toEqual({
      text: 'a\ufffdb\ufffd',
      truncated: false,
    });
  });

  test('leaves a character out that the limit went through', () => {
    expect(capturedText(bytes(0x61, 0xe2, 0x82), 3, true)).toEqual({ text: 'a', truncated: true });
  });

  test('is cut again where its replacements are longer than the limit', () => {
    const result = capturedText(bytes(0xff, 0xff, 0xff, 0xff), 7, false);
    expect(result).toEqual({ text: '\ufffd\ufffd', truncated: true });
  });
});
