import { describe, expect, test } from 'vitest';
import { render } from '../../src/reports/render.js';

const textOf = (text: string) => render(<p>{text}</p>).slice('<p>'.length, -'</p>'.length);

describe('a page', () => {
  test('escapes every value, in text and in attributes', () => {
    const hostile = `</p><b id="x">"&amp;`;
    const made = render(<p title={hostile}>{hostile}</p>);
    expect(made).not.toContain('<b');
    expect(made).not.toMatch(/title="[^"]*"[^>]*"/);
  });

  test('does not take an object of data for markup', () => {
    const data = JSON.parse('{"type": "script", "props": {"children": "alert(1)"}, "key": null, "__v": 1}');
    expect(render(<p>{data}</p>)).not.toContain('script');
  });
});

describe('characters that are not seen', () => {
  test.each([
    ['a change of the writing direction', 'a\u202eb', 'a⟨U+202E⟩b'],
    ['an isolate', '\u2066', '⟨U+2066⟩'],
    ['a NUL', '\u0000', '⟨U+0000⟩'],
    ['a carriage return', 'a\rb', 'a⟨U+000D⟩b'],
    ['a line separator that Python does not know', '\u2028', '⟨U+2028⟩'],
    ['a byte order mark', '\ufeff', '⟨U+FEFF⟩'],
    ['an invisible copy of a letter', '\u{e0041}', '⟨U+E0041⟩'],
    ['a space without width', 'pass\u200bword', 'pass⟨U+200B⟩word'],
    ['a word joiner', 'a\u2060b', 'a⟨U+2060⟩b'],
    ['a soft hyphen', 'a\u00adb', 'a⟨U+00AD⟩b'],
    ['a letter without a form', 'x = \u3164', 'x = ⟨U+3164⟩'],
    ['a joiner of Latin letters', 'a\u200db', 'a⟨U+200D⟩b'],
    ['a joiner at the beginning', '\u200d', '⟨U+200D⟩'],
    ['a variant of a letter that has none', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['what is hidden behind an emoji', '😀\ufe0f\ufe01\u{e0102}', '😀\ufe0f⟨U+FE01⟩⟨U+E0102⟩'],
    ['half a surrogate pair', 'a\ud83d', 'a⟨U+D83D⟩'],
  ])('%s is named', (_, text, shown) => {
    expect(textOf(text)).toBe(shown);
    expect(render(<p title={text} />)).toBe(`<p title="${shown}"></p>`);
  });

  test('line breaks, tabs, emoji and letters of every script stay', () => {
    const text = 'a\n\tb 😀 👩‍👩‍👧 🏳️‍🌈 1️⃣ نص می‌خواهم क्‍ष 漢字 葛\u{e0100} é';
    expect(textOf(text)).toBe(text);
  });
});
