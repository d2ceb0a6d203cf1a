import { describe, expect, test } from 'vitest';
import { type Entry, isEntry, rememberFeedback } from '../../src/memory/entries.js';
import { buildMemory, MemoryFormatError } from '../../src/memory/factory.js';
import { HistoryList } from '../../src/memory/history-list.js';
import type { MemorySnapshot } from '../../src/memory/memory-module.js';

const config = { _type: 'history_list', max_length: 3 } as const;
const wide = { ...config, max_length: 10 };
const note = (content: string): Entry => ({ _type: 'reflection', content });

const entries: Entry[] = [
  {
    _type: 'experience',
    obs: 'q',
    action: 'a',
    feedback: { correct: false, target: 't', message: 'm', extra: { extracted: null } },
    sample_id: 's1',
    trial: 0,
  },
  { _type: 'reflection', content: 'r', sample_id: 's1', trial: 0 },
  { _type: 'Observation', content: 'o' },
  { _type: 'Action', content: 'b' },
  { _type: 'Feedback', content: '{"correct":true}' },
];

describe('a history list', () => {
  test('keeps entries in order and drops the oldest beyond max_length', () => {
    const memory = new HistoryList(config);
    for (const content of ['1', '2', '3', '4', '5']) memory.update(note(content));
    expect(memory.recall()).toEqual([note('3'), note('4'), note('5')]);
  });

  test('loaded with more than max_length, it keeps the newest', () => {
    expect(new HistoryList(config, ['1', '2', '3', '4'].map(note)).recall()).toEqual(
      ['2', '3', '4'].map(note),
    );
  });

  test('is the same again after a round trip through JSON, every type of entry with its origin', () => {
    const memory = buildMemory(wide);
    for (const entry of entries) memory.update(entry);
    const saved = JSON.parse(JSON.stringify(memory.snapshot())) as MemorySnapshot;
    expect(saved).toEqual({ _type: 'history_list', max_length: 10, entries });
    const loaded = buildMemory(wide, saved);
    expect(loaded.recall()).toEqual(entries);
    expect(loaded.snapshot()).toEqual(memory.snapshot());
  });

  test('the config’s max_length counts, not the saved one', () => {
    const saved = { _type: 'history_list', max_length: 1000, entries: entries as never };
    const loaded = buildMemory(config, saved);
    expect(loaded.recall()).toEqual(entries.slice(-3));
    expect(loaded.snapshot()).toMatchObject({ max_length: 3 });
  });

  test('a snapshot and what comes after it do not touch each other', () => {
    const memory = new HistoryList(config, [note('1')]);
    const before = memory.snapshot();
    memory.update(note('2'));
    expect(before.entries).toEqual([note('1')]);
    const other = buildMemory(config, before);
    other.update(note('3'));
    expect(before.entries).toEqual([note('1')]);
    expect(memory.recall()).toEqual([note('1'), note('2')]);
  });

  test('entries of an agent’s own types are kept, saved and loaded', () => {
    const own = ['Summary', 'Retrieval', 'Reflection', 'my-note'].map((_type) => ({ _type, content: 'x' }));
    const memory = new HistoryList(wide);
    for (const entry of own) memory.update(entry as Entry);
    const saved = JSON.parse(JSON.stringify(memory.snapshot())) as MemorySnapshot;
    expect(buildMemory(wide, saved).recall()).toEqual(own);
  });

  test.each([{ content: 'x' }, { _type: 'Summary' }, { _type: 'experience', content: 'x' }, 'text', null])(
    '%j is refused when it is written, not when it is loaded',
    (value) => {
      const memory = new HistoryList(wide);
      expect(() => memory.update(value as never)).toThrow(/^the memory was given .* which is no entry/);
      expect(memory.recall()).toEqual([]);
    },
  );

  test.each([undefined, null])('without a saved one (%s) it is empty', (saved) => {
    expect(buildMemory(config, saved).recall()).toEqual([]);
  });
});

describe('a saved memory that does not fit', () => {
  test.each<[string, unknown, string]>([
    [
      'of another kind',
      { _type: 'cheatsheet', entries: [] },
      'is a cheatsheet, the config asks for a history_list',
    ],
    ['without a kind', { entries: [] }, 'the config asks for a history_list'],
    ['without entries', { _type: 'history_list' }, 'a list "entries"'],
    ['with entries of no list', { _type: 'history_list', entries: {} }, 'a list "entries"'],
    ['with a bad entry', { _type: 'history_list', entries: [note('ok'), { _type: 'x' }] }, 'entry 1 is not'],
    ['with a null', { _type: 'history_list', entries: [null] }, 'entry 0 is not'],
  ])('%s', (_name, saved, message) => {
    expect(() => buildMemory(config, saved as MemorySnapshot)).toThrow(MemoryFormatError);
    expect(() => buildMemory(config, saved as MemorySnapshot)).toThrow(message);
  });

  test.each<[unknown, boolean]>([
    [note('x'), true],
    [{ _type: 'reflection' }, false],
    [{ _type: 'reflection', content: 3 }, false],
    [{ _type: 'experience', obs: 'q', action: 'a' }, false],
    [{ _type: 'experience', obs: 'q', action: 'a', feedback: null }, false],
    [{ _type: 'Summary', content: 'of an agent’s own type' }, true],
    [{ content: 'of no type' }, false],
    ['text', false],
  ])('%j is an entry: %s', (value, is) => {
    expect(isEntry(value)).toBe(is);
  });
});

describe('what is remembered of a feedback', () => {
  const feedback = {
    correct: false,
    target: '42',
    message: '41 does not equal 42.',
    extra: { extracted: '41' },
  };

  test('full: all of it', () => {
    expect(rememberFeedback(feedback, 'full')).toEqual(feedback);
  });

  test.each<[string, typeof feedback | Record<string, never>, string]>([
    ['a message that quotes the target is dropped', feedback, 'incorrect'],
    ['so is one that quotes its answer alone', { ...feedback, target: 'so\n#### 42' }, 'incorrect'],
    [
      'and one that cuts it short',
      { ...feedback, target: 'x'.repeat(80), message: `41 is not ${'x'.repeat(59)}….` },
      'incorrect',
    ],
    ['a hint stays', { ...feedback, message: 'Higher.' }, 'Higher.'],
    [
      'and so does what a puzzle’s checker says',
      { ...feedback, target: '(1 + 2) * 8', message: '1 + 2 + 8 does not use each of 1, 2, 8 exactly once.' },
      '1 + 2 + 8 does not use each of 1, 2, 8 exactly once.',
    ],
    ['a success may be quoted', { ...feedback, correct: true, message: '42 equals 42.' }, '42 equals 42.'],
    ['an empty target hides nothing', { ...feedback, target: '', message: 'no' }, 'no'],
  ])('outcome: %s', (_name, given, message) => {
    const remembered = rememberFeedback(given as typeof feedback, 'outcome');
    expect(remembered).toEqual({ correct: (given as typeof feedback).correct, message });
  });
});
