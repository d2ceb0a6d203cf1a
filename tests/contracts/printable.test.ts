import { expect, test } from 'vitest';
import { printable, printableJson, printableLine } from '../../src/contracts/printable.js';

// Colours, a title, a picture of a link, a clipboard, a bell, a line that is overwritten, and text that runs backwards.
const HOSTILE = [
  '\x1b[31mred\x1b[0m',
  '\x1b]0;title\x07',
  '\x1b]8;;http://evil.invalid\x1b\\click\x1b]8;;\x1b\\',
  '\x1b]52;c;cm0gLXJm\x07',
  '\x9b2J',
  'done\rfailed\x08\x7f',
  '\u202egnp.exe\u2066x\u2069\u200f',
  'a\u2028b\0',
].join('\n');

test('what a terminal acts on is shown', () => {
  expect(printable('a\x1b[31mb\x07\x7f\x9b\u202ec')).toBe('a␛[31mb␇␡��c');
  const shown = printable(HOSTILE);
  expect(shown).toHaveLength(HOSTILE.length);
  expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
});

test('text stays as it is, with its lines and tabs', () => {
  const text = 'Größe\t½ · 東京 👩‍👩‍👧\n{"a": 1}\n';
  expect(printable(text)).toBe(text);
  expect(printable('two\r\nlines')).toBe('two\nlines');
});

test('a line is one line', () => {
  expect(printableLine('  a\r\n\tb \x1b c\u2028d ')).toBe('a b ␛ c d');
});

test('JSON keeps its value', () => {
  const value = { [HOSTILE]: [HOSTILE, 1] };
  const json = printableJson(JSON.stringify(value, null, 2));
  expect(JSON.parse(json)).toEqual(value);
  expect(printable(json)).toBe(json);
});
