import { describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/contracts/agent.js';
import type { ExperienceEntry } from '../../src/memory/entries.js';
import { CheatsheetBench, ended, type Step, sheet } from './cheatsheet-bench.js';

const GOLD = 'Ouagadougou-4711';
const MODES = ['cumulative', 'retrieval_synthesis', 'dynamic_retrieval', 'full_history', 'empty_sheet'];
const wrong: Step = { target: GOLD, message: `Lima is not ${GOLD}.`, extra: { target_letter: GOLD } };

/** What an earlier run remembered, gold answers and all. */
const loaded = {
  _type: 'hybrid',
  cheatsheet: 'old notes',
  experiences: ['capital of Peru', 'capital of Chad'].map(
    (obs): ExperienceEntry => ({
      _type: 'experience',
      obs,
      action: 'Lima',
      feedback: { correct: false, target: GOLD, message: wrong.message as string },
    }),
  ) as never,
};

/** A bench that shows as much as it can, after three trials of two samples, one of them with several steps. */
async function everything(agent: Record<string, unknown>): Promise<CheatsheetBench> {
  const bench = new CheatsheetBench({
    agent: {
      use_code_execution: true,
      history_k: 50,
      ...(agent.mode === 'full_history' || agent.mode === 'empty_sheet' ? {} : { use_retrieval: true }),
      ...agent,
    },
    memory: { _type: 'hybrid' },
    runtime: { num_trials: 3 },
    loaded,
    say: ({ purpose }, number) => {
      if (purpose !== 'act') return sheet(`notes ${number}`);
      return number % 2 === 0 ? '```python\nprint(1)\n```\nEXECUTE CODE!' : `Lima ${number}`;
    },
    run: () => ended({ stdout: 'Lima' }),
  });
  for (const trial of [0, 1, 2]) {
    await bench.episode('s1', trial, { ...wrong, obs: 'capital of Burkina Faso' });
    await bench.episode('s2', trial, { ...wrong, obs: 'capital of Chad' }, wrong, wrong);
  }
  return bench;
}

const leaks = ({ messages }: AgentRequest) => messages.some(({ content }) => content.includes(GOLD));

describe.each(MODES)('in mode %s', (mode) => {
  test.each(['full', 'outcome'])(
    'no prompt holds the gold answer, with agent.feedback %s',
    async (feedback) => {
      const bench = await everything({ mode, feedback });
      expect(bench.requests.length).toBeGreaterThan(12);
      expect(bench.requests.filter(leaks)).toEqual([]);
      // It was there to leak.
      expect(JSON.stringify(bench.journal.entries()).includes(GOLD)).toBe(feedback === 'full');
    },
  );
});

describe('curator_sees_feedback: true', () => {
  test('with agent.feedback full shows the gold answer to the curator, and to no other', async () => {
    const bench = await everything({ mode: 'cumulative', feedback: 'full', curator_sees_feedback: true });
    expect(new Set(bench.requests.filter(leaks).map(({ purpose }) => purpose))).toEqual(new Set(['curate']));
    expect(bench.requests.filter(({ purpose }) => purpose === 'curate').every(leaks)).toBe(true);
  });

  test('with agent.feedback outcome, which is the default with several trials, shows it to nobody', async () => {
    for (const feedback of ['outcome', undefined]) {
      const bench = await everything({
        mode: 'cumulative',
        curator_sees_feedback: true,
        ...(feedback === undefined ? {} : { feedback }),
      });
      expect(bench.requests.filter(leaks)).toEqual([]);
      // How it was judged is shown all the same.
      for (const prompt of bench.prompts('curate'))
        expect(prompt).toContain('## How it was judged\n{"correct":false,"message":"incorrect"}');
    }
  });

  test('is false by default: the curator is not told whether the answer was right', async () => {
    for (const correct of [true, false]) {
      const bench = new CheatsheetBench({ say: () => 'reply' });
      await bench.episode('s1', 0, { correct, message: 'JUDGED' });
      expect(bench.prompts('curate')[0]).not.toMatch(/JUDGED|judged|"correct"/);
    }
  });

  test('the last step of an episode is the one that was judged', async () => {
    const bench = new CheatsheetBench({ agent: { curator_sees_feedback: true } });
    await bench.episode('s1', 0, { message: 'first verdict' }, { correct: true, message: 'last verdict' });
    expect(bench.prompt()).toContain('last verdict');
    expect(bench.prompt()).not.toContain('first verdict');
  });

  test('a template of one’s own shows it at {feedback}', async () => {
    const bench = new CheatsheetBench({
      agent: { curator_sees_feedback: true, cheatsheet_template: '{answer} was {feedback}' },
    });
    await bench.episode('s1', 0, { message: 'verdict' });
    expect(bench.prompt()).toMatch(/^act 1 was [\s\S]*verdict/);
  });
});
