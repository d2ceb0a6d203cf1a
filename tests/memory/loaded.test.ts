import { describe, expect, test } from 'vitest';
import { asLoaded, loadedFacts } from '../../src/kinds/run/loaded.js';
import type { MemorySnapshot } from '../../src/memory/memory-module.js';
import { configOf } from '../support/configs.js';

const list = (...entries: object[]) =>
  ({ _type: 'history_list', max_length: 100, entries }) as unknown as MemorySnapshot;
const experience = (feedback: object) => ({ _type: 'experience', obs: 'q', action: 'a', feedback });

describe('entries of a loaded memory', () => {
  test.each<[string, object, object]>([
    [
      'an experience',
      experience({
        correct: false,
        target: 'gold',
        message: 'a is not gold.',
        extra: { target_letter: 'B' },
      }),
      experience({ correct: false, message: 'incorrect' }),
    ],
    [
      'one that was right',
      experience({ correct: true, target: 'gold', message: 'gold is right' }),
      experience({ correct: true, message: 'gold is right' }),
    ],
    [
      'one that tells no answer',
      experience({ correct: false, message: 'not that' }),
      experience({ correct: false, message: 'not that' }),
    ],
    ['a number by hand', experience({ correct: false, target: 42 }), experience({ correct: false })],
    ['notes by hand', experience({ note: 'gold' }), experience({})],
    [
      'a feedback of its own',
      { _type: 'Feedback', content: '{"correct":false,"target":"gold","message":"not gold"}' },
      { _type: 'Feedback', content: '{"correct":false,"message":"incorrect"}' },
    ],
    ['one in words', { _type: 'Feedback', content: 'good' }, { _type: 'Feedback', content: 'good' }],
    ['a reflection', { _type: 'reflection', content: 'think' }, { _type: 'reflection', content: 'think' }],
  ])('are held to agent.feedback and marked: %s', (_what, entry, kept) => {
    const { entries } = asLoaded(list(entry), 'outcome');
    expect(JSON.parse(JSON.stringify(entries))).toEqual([{ ...kept, loaded: true }]);
    expect(asLoaded(list(entry), 'full').entries).toEqual([{ ...entry, loaded: true }]);
  });

  test('are experiences as well, and a sheet stays as it is', () => {
    const feedback = { correct: false, target: 'gold', message: 'not gold' };
    const saved = { _type: 'hybrid', cheatsheet: 'notes', experiences: [experience(feedback)] } as never;
    expect(asLoaded(saved, 'outcome')).toEqual({
      _type: 'hybrid',
      cheatsheet: 'notes',
      experiences: [{ ...experience({ correct: false, message: 'incorrect' }), loaded: true }],
    });
  });
});

describe('what prompts can show of a loaded history', () => {
  const gold = experience({ correct: false, target: 'gold' });
  const verdict = experience({ correct: false });
  const thought = { _type: 'reflection', content: 'think' };
  test.each<[string, Record<string, unknown>, object[], string[], boolean]>([
    ['the newest entries count', { type: 'memory_agent', history_k: 1 }, [gold, verdict], ['outcome'], false],
    ['all that are shown', { type: 'memory_agent' }, [gold, verdict], ['full', 'outcome'], false],
    ['none where none is shown', { type: 'memory_agent', history_k: 0 }, [gold], [], false],
    ['texts are not known', { type: 'memory_agent' }, [thought], ['unknown'], true],
    ['reflections stand apart', { type: 'reflexion_agent', history_k: 1 }, [gold, thought], ['full'], true],
    [
      'parts of a step',
      { type: 'history_agent' },
      [
        { _type: 'Observation', content: 'q' },
        { _type: 'Feedback', content: '{"correct":true,"target":"gold"}' },
        { _type: 'Feedback', content: 'good' },
      ],
      ['none', 'full', 'unknown'],
      false,
    ],
    [
      'a target that is empty tells nothing',
      { type: 'memory_agent' },
      [experience({ correct: true, target: ' ' })],
      ['outcome'],
      false,
    ],
    [
      'a letter tells all',
      { type: 'memory_agent' },
      [experience({ extra: { target_letter: 'B' } })],
      ['full'],
      false,
    ],
  ])('%s', (_what, agent, entries, shown, reflections) => {
    const { agent: config, memory } = configOf({ agent });
    expect(loadedFacts({ agent: config, memory }, [list(...entries)])).toEqual({
      entries: shown,
      reflections: agent.type === 'reflexion_agent' && reflections,
      experiences: false,
      sheet: false,
    });
  });

  test('what a shorter memory drops is not shown', () => {
    const { agent, memory } = configOf({ agent: { type: 'memory_agent' }, memory: { max_length: 1 } });
    expect(loadedFacts({ agent, memory }, [list(gold, verdict)]).entries).toEqual(['outcome']);
  });
});
