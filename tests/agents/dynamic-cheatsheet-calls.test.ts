import { describe, expect, test } from 'vitest';
import { CheatsheetBench, ended, sheet } from './cheatsheet-bench.js';

const CODE = '```python\nprint(6 * 7)\n```\nEXECUTE CODE!';

/** Modes, the calls of an episode of one step, and of one of three. */
const modes: [mode: string, oneStep: string[], threeSteps: string[]][] = [
  ['cumulative', ['act', 'curate'], ['act', 'act', 'act', 'curate']],
  ['retrieval_synthesis', ['synthesize', 'act'], ['synthesize', 'act', 'act', 'act']],
  ['dynamic_retrieval', ['act'], ['act', 'act', 'act']],
  ['full_history', ['act'], ['act', 'act', 'act']],
  ['empty_sheet', ['act'], ['act', 'act', 'act']],
];

describe.each(modes)('the calls of mode %s', (mode, oneStep, threeSteps) => {
  const say = ({ purpose }: { purpose: string }, number: number) =>
    purpose === 'act' ? `answer ${number}` : sheet(`sheet ${number}`);

  test('for each sample and each trial, right or wrong', async () => {
    const bench = new CheatsheetBench({ agent: { mode }, runtime: { num_trials: 2 }, say });
    await bench.episode('s1', 0);
    await bench.episode('s1', 1, { correct: true });
    await bench.episode('s2', 0);
    expect(bench.purposes).toEqual([...oneStep, ...oneStep, ...oneStep]);
  });

  test('for an episode of several steps', async () => {
    const bench = new CheatsheetBench({ agent: { mode }, say });
    await bench.episode('s1', 0, {}, {}, { correct: true });
    expect(bench.purposes).toEqual(threeSteps);
  });

  test('with code are one act more for each program', async () => {
    const bench: CheatsheetBench = new CheatsheetBench({
      agent: { mode, use_code_execution: true },
      say: ({ purpose }, number) => {
        if (purpose !== 'act') return sheet('notes');
        return bench.programs.length < 2 ? CODE : `answer ${number}`;
      },
      run: () => ended({ stdout: '42' }),
    });
    await bench.episode('s1', 0);
    const withCode = oneStep.flatMap((purpose) => (purpose === 'act' ? ['act', 'act', 'act'] : [purpose]));
    expect(bench.purposes).toEqual(withCode);
    expect(bench.programs).toHaveLength(2);
  });

  test('ask nothing more where the reply is empty: the episode is an error, not a wrong answer', async () => {
    const empty = new CheatsheetBench({
      agent: { mode },
      say: ({ purpose }) => (purpose === 'act' ? ' \n' : sheet('x')),
    });
    await expect(empty.episode('s1', 0)).rejects.toThrow("the model's reply is empty");
    expect(empty.purposes).toEqual(oneStep.slice(0, oneStep.indexOf('act') + 1));
  });
});

test('an episode that failed before its first step is not curated', async () => {
  const bench = new CheatsheetBench();
  await bench.agent.reset({ sample_id: 's1', trial: 0, num_trials: 1 });
  await bench.agent.endEpisode();
  expect(bench.purposes).toEqual([]);
});

describe('the curator’s output tokens', () => {
  test.each([
    [{}, {}, { max_output_tokens: 4096 }],
    [{}, { max_output_tokens: 100 }, { max_output_tokens: 200 }],
    [{ curator_max_tokens: 77 }, { max_output_tokens: 100 }, { max_output_tokens: 77 }],
  ])('with agent %j and lm %j are %j', async (agent, lm, parameters) => {
    for (const [mode, purpose] of [
      ['cumulative', 'curate'],
      ['retrieval_synthesis', 'synthesize'],
    ]) {
      const bench = new CheatsheetBench({ agent: { ...agent, mode }, lm });
      await bench.episode('s1', 0);
      const asked = bench.requests.map((request) => [request.purpose, request.parameters]);
      expect(asked).toContainEqual([purpose, parameters]);
      expect(asked).toContainEqual(['act', undefined]);
    }
  });
});

describe('a new sheet', () => {
  test.each([
    ['cumulative', ['s1', 's2']],
    ['retrieval_synthesis', ['s1', 's2']],
  ])('of mode %s is kept with the sample and trial that wrote it', async (mode, samples) => {
    const bench = new CheatsheetBench({
      agent: { mode },
      memory: { _type: 'hybrid' },
      say: (_request, number) => sheet(`sheet ${number}`),
    });
    for (const sample of samples) for (const trial of [0, 1]) await bench.episode(sample, trial);
    const first = mode === 'cumulative' ? 2 : 1;
    expect(bench.saved).toMatchObject({
      cheatsheet: `sheet ${first + 6}`,
      versions: [
        { version: 1, sample_id: 's1', trial: 0, content: `sheet ${first}` },
        { version: 2, sample_id: 's1', trial: 1, content: `sheet ${first + 2}` },
        { version: 3, sample_id: 's2', trial: 0, content: `sheet ${first + 4}` },
        { version: 4, sample_id: 's2', trial: 1, content: `sheet ${first + 6}` },
      ],
    });
    expect(bench.counts).toMatchObject({ curations: 1 });
  });

  test.each([
    ['no tag', 'Better notes: none.'],
    ['an empty reply', ''],
    ['a tag that is never closed', '<cheatsheet>\nhalf'],
    ['nothing between the tags', '<cheatsheet>\n\n</cheatsheet>'],
  ])('that is none (%s) keeps the old one, and is counted', async (_name, reply) => {
    for (const mode of ['cumulative', 'retrieval_synthesis']) {
      const replies = [sheet('good notes'), reply];
      const bench = new CheatsheetBench({
        agent: { mode },
        say: ({ purpose }) => (purpose === 'act' ? 'answer' : (replies.shift() ?? '')),
      });
      await bench.episode('s1', 0);
      expect(bench.counts).toEqual({ curations: 1 });
      await bench.episode('s2', 0);
      expect(bench.sheet).toBe('good notes');
      expect(bench.counts).toMatchObject({ curations: 1, curations_without_sheet: 1 });
      expect(bench.saved).toMatchObject({ versions: [{ version: 1, sample_id: 's1' }] });
    }
  });

  test('that is too long is cut at the end of a line, and is counted', async () => {
    const lines = Array.from({ length: 40 }, (_, number) => `note ${number}`);
    const bench = new CheatsheetBench({
      memory: { max_chars: 100 },
      say: ({ purpose }) => (purpose === 'act' ? 'answer' : sheet(lines.join('\n'))),
    });
    await bench.episode('s1', 0);
    expect(bench.counts).toEqual({ curations: 1, sheets_cut: 1 });
    expect(bench.sheet.length).toBeLessThanOrEqual(100);
    expect(lines.slice(0, bench.sheet.split('\n').length)).toEqual(bench.sheet.split('\n'));
  });

  test('of the same size as allowed is not cut', async () => {
    const bench = new CheatsheetBench({
      memory: { max_chars: 100 },
      say: ({ purpose }) => (purpose === 'act' ? 'answer' : sheet('x'.repeat(100))),
    });
    await bench.episode('s1', 0);
    expect(bench.counts).toEqual({ curations: 1 });
    expect(bench.sheet).toBe('x'.repeat(100));
  });
});

test('what an episode counted is not counted again in the next one', async () => {
  const bench = new CheatsheetBench({ say: () => 'no sheet' });
  await bench.episode('s1', 0);
  expect(bench.counts).toEqual({ curations: 1, curations_without_sheet: 1 });
  await bench.episode('s2', 0);
  expect(bench.counts).toEqual({ curations: 1, curations_without_sheet: 1 });
});
