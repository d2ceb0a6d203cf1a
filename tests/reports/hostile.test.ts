import { describe, expect, test } from 'vitest';
import { HOSTILE, hostilePage } from './hostile.js';
import { evolutionPage, node, parsePage } from './support.js';

const page = await hostilePage();
const { tags, texts } = parsePage(page);
const tame = parsePage(await evolutionPage([node('0'), node('0-0')], { '0': { 'scaffold.py': 'a' } }));

describe('texts of models and datasets', () => {
  test('bring no element into the page that is not the page’s own', () => {
    const own = new Set([...tame.tags.map(({ name }) => name), 'del', 'ins', 'b', 'strong']);
    expect(tags.filter(({ name }) => !own.has(name))).toEqual([]);
    for (const name of ['script', 'style', 'meta', 'main']) {
      const count = (all: typeof tags) => all.filter((tag) => tag.name === name).length;
      expect([name, count(tags)]).toEqual([name, count(tame.tags)]);
    }
  });

  test('bring no attribute: no handler, no style, no address but within the page and beside it', () => {
    const attributes = tags.flatMap((tag) => Object.entries(tag.attributes));
    expect(attributes.filter(([name]) => /^(on.*|style|src|srcdoc|action|autofocus)$/.test(name))).toEqual(
      [],
    );
    const addresses = attributes.filter(([name]) => name === 'href').map(([, value]) => value);
    expect(addresses.length).toBeGreaterThan(HOSTILE.length);
    expect(addresses.filter((address) => !/^(#|\.\/)[\w.!~*'()%/-]*$/.test(address))).toEqual([]);
  });

  test('are shown as they are written', () => {
    const code = texts.filter(({ path }) => path.at(-1) === 'pre').map(({ text }) => text);
    for (const text of HOSTILE.slice(0, -1)) expect(code.some((one) => one.includes(text))).toBe(true);
    expect(
      code.some((one) => one.includes('⟨U+0000⟩⟨U+202E⟩⟨U+2066⟩ ⟨U+2028⟩ ⟨U+D800⟩ ⟨U+E0041⟩ ⟨U+FEFF⟩')),
    ).toBe(true);
  });

  test('leave no unseen character in the page', () => {
    expect(page.match(/[\0\r\u202a-\u202e\u2066-\u2069\u2028\ufeff\p{Cs}]/gu)).toBe(null);
  });
});
