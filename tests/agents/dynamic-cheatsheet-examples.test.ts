import { describe, expect, test } from 'vitest';
import type { ExperienceEntry } from '../../src/memory/entries.js';
import { CheatsheetBench } from './cheatsheet-bench.js';
import { examples, fruit, loaded } from './fruit.js';

describe('the examples in the prompts', () => {
  const apples = fruit('apple', 'pear', 'plum');

  test('are similar ones, the most similar last, and no more than retrieve_top_k', async () => {
    for (const k of [1, 3, 100]) {
      const bench = new CheatsheetBench({
        agent: { mode: 'dynamic_retrieval', retrieve_top_k: k },
        loaded: loaded(apples),
      });
      await bench.episode('s1', 0, { obs: 'Seeds of the plum?' });
      const shown = examples(bench.prompt());
      expect(shown).toHaveLength(Math.min(k, apples.length));
      // Of equal ones the newer is taken for more similar.
      expect(shown.at(-1)).toBe('wrong about plum');
      if (k > 1) expect(shown.at(-2)).toBe('right about plum');
      expect(bench.counts).toEqual({ examples_shown: shown.length });
    }
  });

  test('show question and answer, and not how it was judged', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'dynamic_retrieval', feedback: 'full' },
      loaded: loaded(
        apples.map((entry) => ({
          ...entry,
          feedback: { correct: false, target: 'GOLD', message: 'JUDGED' },
        })),
      ),
    });
    await bench.episode('s1', 0, { obs: 'Seeds of the plum?' });
    expect(bench.prompt()).toContain(
      'Task:\nHow many seeds has the plum?\n\nAnswer that was given:\nwrong about plum\n',
    );
    for (const hidden of ['GOLD', 'JUDGED', 'correct']) expect(bench.prompt()).not.toContain(hidden);
  });

  test('are only correct ones where memory.retrieval.correct_only says so', async () => {
    for (const correct_only of [true, false]) {
      const bench = new CheatsheetBench({
        agent: { mode: 'dynamic_retrieval', retrieve_top_k: 10 },
        memory: { _type: 'hybrid', retrieval: { correct_only } },
        loaded: loaded(apples),
      });
      await bench.episode('s1', 0, { obs: 'Seeds of the plum?', correct: false });
      expect(examples(bench.prompt()).some((answer) => answer.startsWith('wrong'))).toBe(!correct_only);
      await bench.episode('s2', 0, { obs: 'Seeds of the plum?', correct: true });
      expect(examples(bench.prompt()).includes('act 1')).toBe(!correct_only);
      await bench.episode('s3', 0, { obs: 'Seeds of a plum?' });
      expect(examples(bench.prompt())).toContain('act 2');
    }
  });

  test('that are chosen for being correct never answer the question that is asked', async () => {
    for (const correct_only of [true, false]) {
      const bench = new CheatsheetBench({
        agent: { mode: 'dynamic_retrieval', retrieve_top_k: 10 },
        memory: { _type: 'experience_db', retrieval: { correct_only } },
        runtime: { num_trials: 2 },
        loaded: loaded([
          ...fruit('plum'),
          { ...(fruit('pear')[0] as ExperienceEntry), sample_id: 's1', loaded: true },
        ]),
      });
      const right = { correct: true };
      await bench.episode('s1', 0, { ...right, obs: 'Seeds of the plum?' }, { ...right, obs: 'Sure, plum?' });
      // Of its own first trial, whatever was asked there; what is loaded is of another run's s1.
      await bench.episode('s1', 1, { ...right, obs: 'And the seeds of the plum?' });
      expect(examples(bench.prompt()).some((answer) => answer.startsWith('act'))).toBe(!correct_only);
      expect(examples(bench.prompt())).toContain('right about pear');
      // A row that is there twice, with a blank more.
      await bench.episode('s2', 0, { ...right, obs: 'Seeds of the plum? ' });
      expect(examples(bench.prompt()).includes('act 1')).toBe(!correct_only);
      expect(examples(bench.prompt())).toContain('act 3');
      await bench.episode('s3', 0, { ...right, obs: 'How many seeds has the plum?' });
      expect(examples(bench.prompt()).includes('right about plum')).toBe(!correct_only);
    }
  });

  test('are none for a question that resembles nothing', async () => {
    const bench = new CheatsheetBench({ agent: { mode: 'dynamic_retrieval' }, loaded: loaded(apples) });
    await bench.episode('s1', 0, { obs: 'xyzzy' });
    expect(examples(bench.prompt())).toEqual([]);
    expect(bench.prompt()).not.toContain('Similar tasks');
    expect(bench.counts).toEqual({});
  });

  test('come besides the sheet with mode cumulative and use_retrieval', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'cumulative', use_retrieval: true },
      loaded: loaded(apples, 'old notes'),
    });
    await bench.episode('s1', 0, { obs: 'Seeds of the plum?' });
    const [act = ''] = bench.prompts('act');
    expect(act).toContain('old notes');
    expect(examples(act)).toHaveLength(3);
    expect(examples(bench.prompts('curate')[0] ?? '')).toEqual([]);
  });

  test.each([5, 19, 20, 21, 60])('of full_history are all %i, in order, wrong ones too', async (count) => {
    const bench = new CheatsheetBench({
      agent: { mode: 'full_history' },
      memory: { _type: 'experience_db', retrieval: { correct_only: true } },
    });
    for (let sample = 0; sample < count; sample++)
      await bench.episode(`s${sample}`, 0, { obs: `question ${sample}`, correct: sample % 2 === 0 });
    await bench.episode('last', 0);
    expect(examples(bench.prompt())).toEqual(
      Array.from({ length: count }, (_, number) => `act ${number + 1}`),
    );
  });

  test.each([0, 1, 3, 25, 1000])('of history_k %i are the newest, oldest first', async (history_k) => {
    const bench = new CheatsheetBench({
      agent: { mode: 'empty_sheet', history_k },
      memory: { _type: 'hybrid', retrieval: { correct_only: true } },
    });
    for (let sample = 0; sample < 40; sample++) await bench.episode(`s${sample}`, 0);
    await bench.episode('last', 0);
    const all = Array.from({ length: 40 }, (_, number) => `act ${number + 1}`);
    expect(examples(bench.prompt())).toEqual(history_k === 0 ? [] : all.slice(-history_k));
  });

  test('of a sample’s later trial are its earlier ones as well', async () => {
    const bench = new CheatsheetBench({ agent: { mode: 'dynamic_retrieval' }, runtime: { num_trials: 3 } });
    await bench.episode('s1', 0);
    await bench.episode('s1', 1);
    expect(examples(bench.prompt())).toEqual(['act 1']);
  });

  test('of another run’s same sample and trial are shown', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'dynamic_retrieval' },
      loaded: loaded(fruit('plum').map((entry) => ({ ...entry, sample_id: 's1', trial: 0 }))),
    });
    await bench.episode('s1', 0, { obs: 'Seeds of the plum?' });
    expect(examples(bench.prompt())).toHaveLength(2);
  });
});

describe('in an episode of several steps', () => {
  const guess = [{ obs: 'Guess my number.' }, { obs: 'Higher than that.' }, { obs: 'Lower than that.' }];
  const modes = ['cumulative', 'retrieval_synthesis', 'dynamic_retrieval', 'full_history', 'empty_sheet'];

  test.each(modes)('%s shows the steps so far once, in order, and what is seen now last', async (mode) => {
    const bench = new CheatsheetBench({
      agent: { mode, history_k: 5 },
      memory: { _type: 'hybrid' },
      say: ({ purpose }, number) => (purpose === 'act' ? `guess ${number}` : 'no sheet'),
    });
    await bench.episode('s1', 0, ...guess);
    await bench.episode('s2', 0, ...guess);
    const said = bench.requests.flatMap(({ purpose }, index) =>
      purpose === 'act' ? [`guess ${index + 1}`] : [],
    );
    const last = bench.prompts('act').at(-1) ?? '';
    const [before = '', task = ''] = last.split('## Task\n');
    for (const action of said.slice(3, 5)) {
      expect(task.split(action)).toHaveLength(2);
      expect(before).not.toContain(action);
    }
    const places = ['Guess my number.', said[3], 'Higher than that.', said[4], 'Lower than that.'].map(
      (text) => task.indexOf(text as string),
    );
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(places).not.toContain(-1);
    expect(task.endsWith('Lower than that.')).toBe(true);
  });

  test('retrieve_top_k examples of other episodes are shown, though its own steps are more similar', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'dynamic_retrieval', retrieve_top_k: 2 },
      loaded: loaded(fruit('plum', 'plum')),
    });
    const obs = 'How many seeds has the plum? Guess.';
    await bench.episode('s1', 0, { obs }, { obs }, { obs });
    for (const prompt of bench.prompts('act')) {
      expect(examples(prompt)).toHaveLength(2);
      for (const answer of examples(prompt)) expect(answer).toContain('about plum');
    }
  });

  test('a step of another sample or trial is an example, though it is word for word the same', async () => {
    for (const [sample, trial] of [
      ['s2', 0],
      ['s1', 1],
    ] as const) {
      for (const mode of ['dynamic_retrieval', 'full_history']) {
        const bench = new CheatsheetBench({
          agent: { mode },
          runtime: { num_trials: 2 },
          say: () => 'the same',
        });
        await bench.episode('s1', 0, { obs: 'Guess.' });
        await bench.episode(sample, trial, { obs: 'Guess.' }, { obs: 'Guess.' });
        expect(examples(bench.prompt())).toEqual(['the same']);
      }
    }
  });

  test('no more than retrieve_top_k are shown, also where its own steps are not among the similar', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'dynamic_retrieval', retrieve_top_k: 1 },
      loaded: loaded(fruit('plum', 'pear')),
    });
    await bench.episode('s1', 0, { obs: 'Hello.' }, { obs: 'Again.' }, { obs: 'Seeds of the plum?' });
    expect(examples(bench.prompt())).toEqual(['wrong about plum']);
  });

  test('a template without {examples} shows the steps all the same', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'empty_sheet', generator_template: 'Task: {question}' },
    });
    await bench.episode('s1', 0, ...guess);
    for (const shown of ['Guess my number.', 'act 1', 'Higher than that.', 'act 2', 'Lower than that.'])
      expect(bench.prompt()).toContain(shown);
  });

  test('the curator is shown the question and every step', async () => {
    const bench = new CheatsheetBench();
    await bench.episode('s1', 0, ...guess);
    const [task = '', answer = ''] = bench.prompt().split('## The answer that was given\n');
    expect(task).toContain('## The task\nGuess my number.\n');
    for (const shown of ['Guess my number.', 'act 1', 'Higher than that.', 'act 2', 'act 3'])
      expect(answer).toContain(shown);
  });
});
