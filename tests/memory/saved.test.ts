import { describe, expect, test } from 'vitest';
import type { MemoryConfig } from '../../src/config/memory-schemas.js';
import { memoryConfigSchema } from '../../src/config/memory-schemas.js';
import type { MemorySnapshot } from '../../src/memory/memory-module.js';
import {
  grownParts,
  headOf,
  isJournaled,
  MemoryFormatError,
  NOTHING_SAVED,
  rolledBack,
  type SheetVersion,
  savedMemory,
  savedParts,
  savedText,
} from '../../src/memory/saved.js';
import { experience } from './support.js';

const KINDS = ['cheatsheet', 'experience_db', 'hybrid'];
const of = (type: string): MemoryConfig => memoryConfigSchema.parse({ _type: type });

const versions: SheetVersion[] = [
  { version: 1, sample_id: 's1', trial: 0, content: 'one\n"quoted" \\frac{1}{2}' },
  { version: 2, content: '' },
  { version: 3, sample_id: 's2', trial: 1, content: 'three 😀' },
];
const parts = {
  cheatsheet: 'three 😀',
  versions,
  experiences: [experience('a'), experience('b', { sample_id: 's1', trial: 0 })],
};

/** The part of `parts` that a kind has. */
const partsOf = (type: string) => ({
  ...(type === 'experience_db'
    ? { cheatsheet: '', versions: [] }
    : { cheatsheet: parts.cheatsheet, versions }),
  experiences: type === 'cheatsheet' ? [] : parts.experiences,
});

const file = (type: string) => [...savedText(type, parts)].join('');

test.each(KINDS)('a %s is the same after it was saved, loaded and saved again', (type) => {
  const text = file(type);
  const saved = JSON.parse(text) as MemorySnapshot;
  expect(saved).toEqual(savedMemory(type, parts));
  const loaded = savedParts(of(type), saved);
  expect(loaded).toEqual(partsOf(type));
  expect([...savedText(type, loaded)].join('')).toBe(text);
  const nothing = [...savedText(type, NOTHING_SAVED)].join('');
  expect([...savedText(type, savedParts(of(type), JSON.parse(nothing)))].join('')).toBe(nothing);
});

test('a file has a line for each version and experience, so that it can be read and compared', () => {
  expect(file('hybrid').split('\n')).toHaveLength(9);
});

describe('a memory of another kind', () => {
  test.each<[from: string, to: string, has: string[]]>([
    ['cheatsheet', 'hybrid', ['cheatsheet']],
    ['experience_db', 'hybrid', ['experiences']],
    ['hybrid', 'cheatsheet', ['cheatsheet']],
    ['hybrid', 'experience_db', ['experiences']],
  ])('%s gives a %s its part', (from, to, has) => {
    const loaded = savedParts(of(to), JSON.parse(file(from)));
    expect(loaded).toEqual({
      cheatsheet: has.includes('cheatsheet') ? parts.cheatsheet : '',
      versions: has.includes('cheatsheet') ? versions : [],
      experiences: has.includes('experiences') ? parts.experiences : [],
    });
    expect(headOf(to, loaded)._type).toBe(to);
  });

  test.each([
    ['cheatsheet', 'experience_db'],
    ['experience_db', 'cheatsheet'],
    ['history_list', 'hybrid'],
    ['hybrid', 'history_list'],
    ['constructor', 'hybrid'],
  ])('%s gives a %s nothing, and is refused', (from, to) => {
    const saved = { ...savedMemory('hybrid', parts), _type: from };
    expect(() => savedParts(of(to), saved)).toThrow(MemoryFormatError);
    expect(() => savedParts(of(to), saved)).toThrow(
      `the saved memory is a ${from}, the config asks for a ${to}`,
    );
  });

  test('a kind that is none is not journaled', () => {
    expect([...KINDS, 'history_list', 'constructor', 'toString'].map(isJournaled)).toEqual([
      ...[true, true, true],
      ...[false, false, false],
    ]);
  });
});

describe('a malformed file', () => {
  const version = { version: 1, content: 'x' };
  test.each<[string, Record<string, unknown>, string]>([
    ['without a sheet', { _type: 'cheatsheet' }, 'a saved cheatsheet has a text "cheatsheet"'],
    ['with a sheet that is no text', { _type: 'cheatsheet', cheatsheet: 3 }, 'a text "cheatsheet"'],
    [
      'with versions of no list',
      { _type: 'cheatsheet', cheatsheet: '', versions: {} },
      '"versions" must be a list',
    ],
    [
      'with a version without content',
      { _type: 'cheatsheet', cheatsheet: '', versions: [version, { version: 2 }] },
      'entry 1 of "versions" has no text "content"',
    ],
    [
      'with a null among the versions',
      { _type: 'hybrid', cheatsheet: '', versions: [null] },
      'entry 0 of "versions"',
    ],
    [
      'with a version without a number',
      { _type: 'cheatsheet', cheatsheet: '', versions: [{ content: 'x' }] },
      'entry 0 of "versions" needs a whole number "version" above 0',
    ],
    [
      'with a version twice',
      { _type: 'cheatsheet', cheatsheet: '', versions: [version, version] },
      'entry 1 of "versions" needs a whole number "version" above 1, not 1',
    ],
    [
      'without experiences',
      { _type: 'experience_db', entries: [experience('a')] },
      'a saved experience_db has a list "experiences"',
    ],
    ['with experiences of no list', { _type: 'experience_db', experiences: {} }, 'a list "experiences"'],
    [
      'with an entry of another type',
      { _type: 'experience_db', experiences: [experience('a'), { _type: 'reflection', content: 'x' }] },
      'experience 1 has no obs, action and feedback',
    ],
    ['with a null among them', { _type: 'experience_db', experiences: [null] }, 'experience 0'],
    [
      'with half of a hybrid',
      { _type: 'hybrid', cheatsheet: 'x' },
      'a saved hybrid has a list "experiences"',
    ],
  ])('%s is refused with what is wrong', (_name, saved, message) => {
    const load = () => savedParts(of(saved._type as string), saved as unknown as MemorySnapshot);
    expect(load).toThrow(MemoryFormatError);
    expect(load).toThrow(message);
  });

  test('in the part that is not asked for does no harm', () => {
    const saved = { _type: 'hybrid', cheatsheet: 'x', versions: [version], experiences: 'broken' };
    expect(savedParts(of('cheatsheet'), saved as never)).toMatchObject({ cheatsheet: 'x' });
  });
});

describe('a sheet that was written by hand', () => {
  test('needs no versions, and is the first one', () => {
    const loaded = savedParts(of('cheatsheet'), { _type: 'cheatsheet', cheatsheet: 'my notes' });
    expect(loaded.versions).toEqual([{ version: 1, content: 'my notes' }]);
    const grown = grownParts(loaded, [{ _type: 'cheatsheet', content: 'new', sample_id: 's1', trial: 0 }]);
    expect(grown.versions).toEqual([
      { version: 1, content: 'my notes' },
      { version: 2, content: 'new', sample_id: 's1', trial: 0 },
    ]);
  });

  test('over a saved one is a version after it', () => {
    const edited = { ...savedMemory('cheatsheet', parts), cheatsheet: 'edited' };
    const loaded = savedParts(of('cheatsheet'), edited);
    expect(loaded.versions).toEqual([...versions, { version: 4, content: 'edited' }]);
  });
});

describe('rolling back', () => {
  test('makes an older version the newest, and loses none', () => {
    const back = rolledBack(parts, 1);
    expect(back.cheatsheet).toBe(versions[0]?.content);
    expect(back.versions).toEqual([...versions, { version: 4, content: versions[0]?.content }]);
    expect(back.experiences).toEqual(parts.experiences);
    expect(parts.versions).toHaveLength(3);
    const again = rolledBack(back, 3);
    expect(again.cheatsheet).toBe('three 😀');
    expect(again.versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5]);
  });

  test('to the version that counts already is a version too', () => {
    expect(rolledBack(parts, 3).versions).toHaveLength(4);
  });

  test('to an empty version is possible', () => {
    expect(rolledBack(parts, 2).cheatsheet).toBe('');
  });

  test.each([
    [parts, 0, 'there is no version 0; the versions are 1 to 3'],
    [parts, 4, 'there is no version 4; the versions are 1 to 3'],
    [{ ...parts, versions: versions.slice(1) }, 1, 'the versions are 2 to 3'],
    [NOTHING_SAVED, 1, 'the memory has no versions of a sheet'],
  ])('to a version that is not there is refused', (given, version, message) => {
    expect(() => rolledBack(given, version)).toThrow(MemoryFormatError);
    expect(() => rolledBack(given, version)).toThrow(message);
  });

  test('counts on from the last number, where older versions were taken out of the file', () => {
    expect(
      rolledBack({ ...parts, versions: versions.slice(2) }, 3).versions.map(({ version }) => version),
    ).toEqual([3, 4]);
  });
});

test('what a memory grows by is told apart: versions and experiences, in order', () => {
  const grown = grownParts(parts, [
    experience('c'),
    { _type: 'cheatsheet', content: 'four', sample_id: 's3', trial: 0 },
    experience('d'),
    { _type: 'cheatsheet', content: 'five' },
  ]);
  expect(grown.cheatsheet).toBe('five');
  expect(grown.versions.slice(3)).toEqual([
    { version: 4, sample_id: 's3', trial: 0, content: 'four' },
    { version: 5, content: 'five' },
  ]);
  expect(grown.experiences.map(({ obs }) => obs)).toEqual(['a', 'b', 'c', 'd']);
  expect(grownParts(parts, [experience('c')])).toMatchObject({ cheatsheet: 'three 😀', versions });
});
