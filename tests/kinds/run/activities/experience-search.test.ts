import { describe, expect, test } from 'vitest';
import { ExperienceSearch } from '../../../../src/kinds/run/activities/experience-search.js';
import type { ExperienceEntry } from '../../../../src/memory/entries.js';
import { LexicalIndex } from '../../../../src/retrieval/lexical-index.js';
import { experience } from '../../../memory/support.js';

const fruit = (...names: string[]): ExperienceEntry[] =>
  names.map((name) => experience(`How many seeds has the ${name}?`));
const wrong = (name: string): ExperienceEntry => ({
  ...(fruit(name)[0] as ExperienceEntry),
  feedback: { correct: false, message: 'no' },
});
const found = (entries: ExperienceEntry[]) =>
  entries.map(
    ({ obs, feedback }) => `${feedback.correct ? '' : 'not '}${obs.split(' ').at(-1)?.slice(0, -1)}`,
  );

/** An index whose next calls can be made to fail. */
class FailingIndex extends LexicalIndex {
  failures = 0;
  built: number[][] = [];

  override async buildIndex(texts: readonly { id: number; text: string }[]): Promise<void> {
    if (this.failures-- > 0) throw new Error('the provider is unreachable');
    this.built.push(texts.map(({ id }) => id));
    await super.buildIndex(texts);
  }
}

describe('a search by words', () => {
  test('finds loaded and written experiences together, the most similar last', async () => {
    const search = new ExperienceSearch(new LexicalIndex(), fruit('plum', 'pear'), false);
    await search.apply(0, 0, fruit('quince', 'plum'));
    expect(found(await search.search({ text: 'seeds of the plum', k: 10, count: 2 }))).toEqual([
      ...['pear', 'quince', 'plum', 'plum'],
    ]);
    expect(found(await search.search({ text: 'plum', k: 1, count: 2 }))).toEqual(['plum']);
    expect(await search.search({ text: 'xyzzy', k: 10, count: 2 })).toEqual([]);
  });

  test('of equal ones finds the newer first, so it comes last', async () => {
    const search = new ExperienceSearch(new LexicalIndex(), fruit('plum'), false);
    const [second, third] = [fruit('plum')[0], fruit('plum')[0]].map((one, number) => ({
      ...(one as ExperienceEntry),
      action: `answer ${number + 2}`,
    })) as [ExperienceEntry, ExperienceEntry];
    await search.apply(0, 0, [second, third]);
    const matches = await search.search({ text: 'plum', k: 2, count: 2 });
    expect(matches.map(({ action }) => action)).toEqual(['answer 2', 'answer 3']);
  });

  test('looks at the first `count` entries only, and never at a sheet', async () => {
    const search = new ExperienceSearch(new LexicalIndex(), [], false);
    await search.apply(0, 0, [
      ...fruit('plum'),
      { _type: 'cheatsheet', content: 'the plum has one' },
      ...fruit('pear', 'plum'),
    ]);
    expect(found(await search.search({ text: 'seeds plum', k: 10, count: 3 }))).toEqual(['pear', 'plum']);
    expect(found(await search.search({ text: 'plum', k: 10, count: 0 }))).toEqual([]);
  });

  test('limited to correct ones passes over the wrong, and still finds k', async () => {
    const names = ['plum', 'apple'];
    const loaded = [...fruit('plum'), wrong('plum'), wrong('plum'), ...fruit('plum')];
    for (const correctOnly of [true, false]) {
      const search = new ExperienceSearch(new LexicalIndex(), loaded, correctOnly);
      await search.apply(0, 0, [wrong('plum'), ...fruit(...names), wrong('plum')]);
      expect(found(await search.search({ text: 'plum', k: 3, count: 4 }))).toEqual(
        correctOnly ? ['plum', 'plum', 'plum'] : ['not plum', 'plum', 'not plum'],
      );
    }
  });
});

describe('a search for the newest', () => {
  test('answers loaded and written ones in order, wrong ones too', async () => {
    for (const correctOnly of [true, false]) {
      const search = new ExperienceSearch(new LexicalIndex(), [...fruit('plum'), wrong('pear')], correctOnly);
      await search.apply(0, 0, [wrong('quince'), { _type: 'cheatsheet', content: 'x' }, ...fruit('apple')]);
      const newest = async (k: number, count: number) => found(await search.search({ k, count }));
      expect(await newest(10, 3)).toEqual(['plum', 'not pear', 'not quince', 'apple']);
      expect(await newest(2, 3)).toEqual(['not quince', 'apple']);
      expect(await newest(2, 1)).toEqual(['not pear', 'not quince']);
      expect(await newest(1, 0)).toEqual(['not pear']);
    }
  });
});

describe('entries that go', () => {
  test('are not found any more, and others take their numbers', async () => {
    const search = new ExperienceSearch(new LexicalIndex(), fruit('fig'), false);
    await search.apply(0, 0, fruit('plum', 'pear', 'quince'));
    await search.apply(1, 1, fruit('apple'));
    expect(found(await search.search({ k: 10, count: 2 }))).toEqual(['fig', 'plum', 'apple']);
    for (const gone of ['pear', 'quince'])
      expect(await search.search({ text: gone, k: 10, count: 9 })).toEqual([]);
    expect(found(await search.search({ text: 'apple', k: 1, count: 2 }))).toEqual(['apple']);
  });

  test('leave the loaded ones to the next lane', async () => {
    const search = new ExperienceSearch(new LexicalIndex(), fruit('plum'), false);
    await search.apply(7, 0, fruit('pear'));
    await search.apply(0, 0, []);
    expect(found(await search.search({ text: 'seeds', k: 10, count: 0 }))).toEqual(['plum']);
  });
});

describe('an index that fails', () => {
  test('over the loaded experiences is built anew by the next attempt', async () => {
    const index = new FailingIndex();
    index.failures = 1;
    const search = new ExperienceSearch(index, fruit('plum'), false);
    await expect(search.apply(0, 0, fruit('pear'))).rejects.toThrow('the provider is unreachable');
    await search.apply(0, 0, fruit('pear'));
    expect(found(await search.search({ text: 'seeds', k: 10, count: 1 }))).toEqual(['plum', 'pear']);
  });

  test('over new entries takes them with the next attempt, and follows on what it had before', async () => {
    const index = new FailingIndex();
    const search = new ExperienceSearch(index, [], false);
    await search.apply(4, 0, fruit('plum', 'pear'));
    index.failures = 1;
    await expect(search.apply(5, 1, fruit('apple', 'fig'))).rejects.toThrow('the provider is unreachable');
    expect([4, 5, 6].map((sequence) => search.follows(sequence))).toEqual([true, true, false]);
    await search.apply(5, 1, fruit('apple', 'fig'));
    expect(found(await search.search({ text: 'seeds', k: 10, count: 3 })).toSorted()).toEqual([
      ...['apple', 'fig', 'plum'],
    ]);
    expect([4, 5, 6, 7].map((sequence) => search.follows(sequence))).toEqual([false, true, true, false]);
  });

  test('is not asked for the loaded ones twice where nothing failed', async () => {
    const index = new FailingIndex();
    const search = new ExperienceSearch(index, fruit('plum', 'pear'), false);
    await search.apply(0, 0, fruit('apple'));
    await search.apply(1, 1, fruit('fig'));
    expect(index.built).toEqual([[0, 1], [2], [3]]);
  });
});

test('work on one index goes in turn, also after one of it failed', async () => {
  const search = new ExperienceSearch(new LexicalIndex(), [], false);
  const log: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = search.inTurn(async () => {
    await gate;
    log.push('first');
    throw new Error('first failed');
  });
  const second = search.inTurn(async () => {
    log.push('second');
    return 2;
  });
  open();
  await expect(first).rejects.toThrow('first failed');
  expect(await second).toBe(2);
  expect(log).toEqual(['first', 'second']);
});
