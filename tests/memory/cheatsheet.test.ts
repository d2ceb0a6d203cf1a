import { describe, expect, test } from 'vitest';
import { type CheatsheetMemory, cutToLines } from '../../src/memory/cheatsheet.js';
import { buildMemory } from '../../src/memory/factory.js';
import { isExperienceMemory, isSheetMemory, type SheetMemory } from '../../src/memory/memory-module.js';
import { grownParts, NOTHING_SAVED } from '../../src/memory/saved.js';
import { experience, ListJournal, throughJson } from './support.js';

const config = { _type: 'cheatsheet', max_chars: 100 } as const;

function make(journal = new ListJournal()) {
  return { journal, memory: buildMemory(config, null, journal) as CheatsheetMemory };
}

describe('a cheatsheet', () => {
  test('is empty at first', () => {
    const { memory } = make();
    expect(memory.getCheatsheet()).toBe('');
    expect(memory.recall()).toEqual([]);
    expect(memory.maxChars).toBe(100);
    expect(isSheetMemory(memory)).toBe(true);
    expect(isExperienceMemory(memory)).toBe(false);
  });

  test('keeps every version with the sample and trial that wrote it, equal ones too', () => {
    const { memory, journal } = make();
    memory.setCheatsheet('one', { sample_id: 's1', trial: 0 });
    memory.setCheatsheet('two', { sample_id: 's1', trial: 1 });
    memory.setCheatsheet('two', { sample_id: 's2', trial: 0 });
    memory.setCheatsheet('one');
    expect(memory.getCheatsheet()).toBe('one');
    expect(grownParts(NOTHING_SAVED, journal.entries)).toEqual({
      cheatsheet: 'one',
      experiences: [],
      versions: [
        { version: 1, sample_id: 's1', trial: 0, content: 'one' },
        { version: 2, sample_id: 's1', trial: 1, content: 'two' },
        { version: 3, sample_id: 's2', trial: 0, content: 'two' },
        { version: 4, content: 'one' },
      ],
    });
    expect(memory.recall()).toEqual([{ _type: 'cheatsheet', content: 'one' }]);
  });

  test('takes a version as an entry as well, and nothing else', () => {
    const { memory, journal } = make();
    memory.update({ _type: 'cheatsheet', content: 'one', sample_id: 's1', trial: 2 });
    memory.update(experience('q'));
    memory.update({ _type: 'reflection', content: 'r' });
    expect(journal.entries).toEqual([{ _type: 'cheatsheet', content: 'one', sample_id: 's1', trial: 2 }]);
    expect(memory.getCheatsheet()).toBe('one');
  });

  test('says whether it had to be cut, and keeps what fits', () => {
    const { memory, journal } = make();
    const long = Array.from({ length: 30 }, (_, number) => `line ${number}`).join('\n');
    expect(memory.setCheatsheet('x'.repeat(100))).toEqual({ cut: false });
    expect(memory.setCheatsheet(long)).toEqual({ cut: true });
    expect(long.startsWith(`${memory.getCheatsheet()}\n`)).toBe(true);
    expect(journal.entries.at(-1)).toMatchObject({ content: memory.getCheatsheet() });
  });

  test('continues from its state half way, as a lane carries it', () => {
    const { memory, journal } = make();
    memory.setCheatsheet('one');
    memory.setCheatsheet('two');
    const carried = throughJson(memory.snapshot());
    const again = buildMemory(config, carried, journal) as SheetMemory;
    expect(again.getCheatsheet()).toBe('two');
    again.setCheatsheet('three');
    memory.setCheatsheet('three');
    expect(again.snapshot()).toEqual(memory.snapshot());
    expect(journal.entries.map((entry) => (entry as { content: string }).content)).toEqual([
      'one',
      'two',
      'three',
    ]);
    // The snapshot was not touched by what came after it.
    expect(carried).toMatchObject({ cheatsheet: 'two', versions: 2, entries: 2 });
  });

  test('does not carry its versions with it', () => {
    const { memory } = make();
    for (let version = 0; version < 500; version++) memory.setCheatsheet(`version ${version} `.repeat(5));
    expect(JSON.stringify(memory.snapshot()).length).toBeLessThan(300);
  });
});

describe('a text that is too long', () => {
  test.each<[string, string, number, string]>([
    ['is cut at the end of a line', 'aaa\nbbb\nccc', 8, 'aaa\nbbb'],
    ['keeps a line that fits exactly', 'aaa\nbbb\nccc', 7, 'aaa\nbbb'],
    ['loses a line that is one character too long', 'aaa\nbbb\nccc', 6, 'aaa'],
    ['is cut anywhere where its first line is too long', 'aaaaaa\nb', 4, 'aaaa'],
    ['is cut anywhere after an empty first line too', '\naaaaaa', 4, '\naaa'],
    ['is not cut through a character', 'ab😀cd', 3, 'ab'],
    ['keeps a character that fits', 'ab😀cd', 4, 'ab😀'],
    ['stays as it is where it is not', 'aaa\nbbb', 7, 'aaa\nbbb'],
    ['may be empty', '', 5, ''],
  ])('%s', (_name, text, limit, cut) => {
    expect(cutToLines(text, limit)).toBe(cut);
  });

  test('is never longer than it may be, a beginning of the text, and as long as lines allow', () => {
    const words = ['a', 'bb', '\n', 'cccc', '\n\n', '😀'];
    for (let seed = 0; seed < 300; seed++) {
      const text = Array.from({ length: 12 }, (_, at) => words[(seed * (at + 3) + at * at) % 6]).join('');
      for (const limit of [1, 3, 7, 20]) {
        const cut = cutToLines(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut).not.toMatch(/\p{Cs}/u);
        if (
          cut === text ||
          !text
            .slice(0, limit + 1)
            .slice(1)
            .includes('\n')
        )
          continue;
        expect(text[cut.length]).toBe('\n');
        expect(text.slice(cut.length + 1, limit + 1)).not.toContain('\n');
      }
    }
  });
});
