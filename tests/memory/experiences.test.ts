import { describe, expect, test } from 'vitest';
import { buildMemory } from '../../src/memory/factory.js';
import type { HybridMemory } from '../../src/memory/hybrid.js';
import { type ExperienceMemory, isExperienceMemory, isSheetMemory } from '../../src/memory/memory-module.js';
import { headOf, NOTHING_SAVED } from '../../src/memory/saved.js';
import { configOf } from '../support/configs.js';
import { experience, ListJournal, throughJson } from './support.js';

const agent = { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' };
const configs = {
  experience_db: configOf({ agent, memory: { _type: 'experience_db' } }).memory,
  hybrid: configOf({ agent, memory: { _type: 'hybrid' } }).memory,
};
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, number) => experience(`question ${from + number}`));

describe.each(['experience_db', 'hybrid'] as const)('experiences of a memory of type %s', (type) => {
  const config = configs[type];
  const make = (loaded = many(0)) => {
    const journal = new ListJournal(loaded);
    const head = headOf(type, { ...NOTHING_SAVED, experiences: loaded });
    return { journal, memory: buildMemory(config, head, journal) as ExperienceMemory };
  };

  test('are none at first, and nothing is searched for', async () => {
    const { memory, journal } = make();
    expect(memory.recall()).toEqual([]);
    expect(await memory.retrieveExamples('question', 3)).toEqual([]);
    expect(await memory.newestExperiences(5)).toEqual([]);
    expect(journal.searches).toEqual([]);
    expect([isExperienceMemory(memory), isSheetMemory(memory)]).toEqual([true, type === 'hybrid']);
  });

  test('are kept whole, by appendExperience or as entries', () => {
    const { memory, journal } = make();
    const whole = experience('q', {
      feedback: { correct: false, target: 't', message: 'm', extra: { extracted: null } },
      sample_id: 's1',
      trial: 4,
    });
    memory.appendExperience(whole);
    memory.update(experience('r'));
    memory.update({ _type: 'reflection', content: 'leaves no trace' });
    expect(journal.entries).toEqual([whole, experience('r')]);
    expect(memory.recall()).toEqual([whole, experience('r')]);
  });

  test('are searched for among the loaded ones and those written so far', async () => {
    const { memory, journal } = make([experience('plum 0')]);
    memory.appendExperience(experience('plum 1'));
    memory.appendExperience(experience('pear 1'));
    expect(await memory.retrieveExamples('plum', 5)).toEqual([experience('plum 0'), experience('plum 1')]);
    expect(journal.searches).toEqual([{ text: 'plum', k: 5, count: 2 }]);
    expect(await memory.retrieveExamples('plum', 0)).toEqual([]);
    expect(journal.searches).toHaveLength(1);
  });

  test.each([
    [0, 0],
    [0, 7],
    [3, 0],
    [15, 15],
    [0, 20],
    [0, 21],
    [40, 0],
    [40, 5],
    [40, 40],
  ])('with %i loaded and %i written the newest are found, oldest first', async (before, written) => {
    const { memory } = make(many(before));
    for (const entry of many(written, before)) memory.appendExperience(entry);
    const all = many(before + written);
    for (const k of [0, 1, 7, 20, 21, 1e9]) {
      expect(await memory.newestExperiences(k), `k = ${k}`).toEqual(k === 0 ? [] : all.slice(-k));
    }
  });

  test('a lane carries a few of them only, however many there are', async () => {
    const { memory } = make(many(10_000));
    for (const entry of many(50, 10_000)) memory.appendExperience(entry);
    const carried = throughJson(memory.snapshot());
    expect(JSON.stringify(carried).length).toBeLessThan(5000);
    expect(carried).toMatchObject({ _type: type, experiences: 10_050, entries: 50 });
  });

  test('continue from a state half way', async () => {
    const journal = new ListJournal();
    let memory = buildMemory(config, null, journal) as ExperienceMemory;
    for (const entry of many(70)) {
      memory = buildMemory(config, throughJson(memory.snapshot()), journal) as ExperienceMemory;
      memory.appendExperience(entry);
    }
    expect(journal.entries).toEqual(many(70));
    expect(await memory.newestExperiences(70)).toEqual(many(70));
    expect(memory.recall()).toEqual(many(70).slice(-20));
  });

  test('gone back to an earlier state, the later ones are written over and not found', async () => {
    const { memory, journal } = make(many(2));
    memory.appendExperience(experience('kept'));
    const before = throughJson(memory.snapshot());
    for (const entry of many(30, 100)) memory.appendExperience(entry);
    const back = buildMemory(config, before, journal) as ExperienceMemory;
    expect(await back.newestExperiences(100)).toEqual([...many(2), experience('kept')]);
    expect(await back.retrieveExamples('question 10', 100)).toEqual([]);
    back.appendExperience(experience('instead'));
    expect(journal.entries).toEqual([experience('kept'), experience('instead')]);
    // The state may be gone back to more than once.
    expect(buildMemory(config, before, journal).recall()).toEqual([...many(2), experience('kept')]);
  });
});

describe('a hybrid', () => {
  const make = () => {
    const journal = new ListJournal();
    return { journal, memory: buildMemory(configs.hybrid, null, journal) as HybridMemory };
  };

  test('numbers the entries of its two parts together', async () => {
    const { memory, journal } = make();
    memory.appendExperience(experience('a'));
    expect(memory.setCheatsheet('one', { sample_id: 's1', trial: 0 })).toEqual({ cut: false });
    memory.update(experience('b'));
    memory.update({ _type: 'cheatsheet', content: 'two' });
    expect(journal.entries).toEqual([
      experience('a'),
      { _type: 'cheatsheet', content: 'one', sample_id: 's1', trial: 0 },
      experience('b'),
      { _type: 'cheatsheet', content: 'two' },
    ]);
    expect(memory.getCheatsheet()).toBe('two');
    expect(memory.recall()).toEqual([
      experience('a'),
      experience('b'),
      { _type: 'cheatsheet', content: 'two' },
    ]);
    expect(throughJson(memory.snapshot())).toMatchObject({ versions: 2, experiences: 2, entries: 4 });
  });

  test('goes back in both parts', async () => {
    const { memory, journal } = make();
    memory.setCheatsheet('one');
    memory.appendExperience(experience('a'));
    const before = throughJson(memory.snapshot());
    memory.setCheatsheet('two');
    memory.appendExperience(experience('b'));
    const back = buildMemory(configs.hybrid, before, journal) as HybridMemory;
    expect(back.getCheatsheet()).toBe('one');
    back.setCheatsheet('three');
    expect(journal.entries).toEqual([
      { _type: 'cheatsheet', content: 'one' },
      experience('a'),
      { _type: 'cheatsheet', content: 'three' },
    ]);
    expect(back.recall()).toEqual([experience('a'), { _type: 'cheatsheet', content: 'three' }]);
  });
});

test.each(['cheatsheet', 'experience_db', 'hybrid'])(
  'a %s without a journal says so when it is written to',
  (type) => {
    const memory = buildMemory(
      configOf({ agent: { ...agent, mode: 'empty_sheet' }, memory: { type } }).memory,
    );
    expect(() => {
      memory.update(experience('q'));
      memory.update({ _type: 'cheatsheet', content: 'x' });
    }).toThrow('without a journal');
  },
);
