import { describe, expect, test } from 'vitest';
import { elementText, escapeText, html } from '../../src/reports/html.js';

describe('a template', () => {
  test('escapes every value, in text and in attributes', () => {
    const hostile = `</p><b id='x'>"&amp;`;
    const made = html`<p title="${hostile}">${hostile}</p>`.text;
    const escaped = '&lt;/p&gt;&lt;b id=&#39;x&#39;&gt;&quot;&amp;amp;';
    expect(made).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  test('takes markup that it made itself as it is, alone and in lists', () => {
    const items = ['<1>', '2'].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}</ul>`.text).toBe('<ul><li>&lt;1&gt;</li><li>2</li></ul>');
  });

  test('leaves nothing of what is absent, and keeps the number 0', () => {
    expect(html`[${null}${undefined}${false}${0}${''}]`.text).toBe('[0]');
  });

  test('does not take an object of data for markup', () => {
    const data = JSON.parse('{"text": "<b>"}');
    expect(() => html`${data}`).toThrow();
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
    expect(escapeText(text)).toBe(shown);
    expect(elementText(text).text).toBe(shown);
  });

  test('line breaks, tabs, emoji and letters of every script stay', () => {
    const text = 'a\n\tb 😀 👩‍👩‍👧 🏳️‍🌈 1️⃣ نص می‌خواهم क्‍ष 漢字 葛\u{e0100} é';
    expect(escapeText(text)).toBe(text);
  });

  test('the inside of an element keeps its quotes', () => {
    expect(elementText(`print("<a>" & 'b')`).text).toBe(`print("&lt;a&gt;" &amp; 'b')`);
  });
});
