import { describe, expect, test } from 'vitest';
import { folderWith } from '../support/configs.js';
import { CheatsheetBench, sheet } from './cheatsheet-bench.js';
import { examples, fruit, loaded } from './fruit.js';

const says = (content: string) => sheet(content);

describe('the sheet in the prompts', () => {
  test('cumulative: (empty) at first, then what the curator wrote last', async () => {
    const bench = new CheatsheetBench({
      say: ({ purpose }, number) => (purpose === 'act' ? `answer ${number}` : says(`notes ${number}`)),
    });
    for (const sample of ['s1', 's2', 's3']) await bench.episode(sample, 0);
    const [first, second, third] = bench.prompts('act');
    expect(first).toContain('## Notes\n(empty)\n');
    expect(second).toContain('## Notes\nnotes 2\n');
    expect(third).toContain('## Notes\nnotes 4\n');
    expect(third).not.toContain('notes 2');
    const [, curated] = bench.prompts('curate');
    for (const shown of ['notes 2', 's2 question 0', 'answer 3', 'At most 20000 characters'])
      expect(curated).toContain(shown);
    for (const hidden of ['s1 question', 'answer 1']) expect(curated).not.toContain(hidden);
  });

  test('retrieval_synthesis: what was made before this very answer', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'retrieval_synthesis' },
      say: ({ purpose }, number) => (purpose === 'act' ? `answer ${number}` : says(`notes ${number}`)),
    });
    for (const sample of ['s1', 's2']) await bench.episode(sample, 0);
    const [first, second] = bench.prompts('act');
    expect(first).toContain('## Notes\nnotes 1\n');
    expect(second).toContain('## Notes\nnotes 3\n');
    const [blank, synthesis] = bench.prompts('synthesize');
    expect(blank).toContain('## The notes so far\n(empty)\n');
    for (const shown of ['notes 1', 's1 question 0', 'answer 2', 's2 question 0'])
      expect(synthesis).toContain(shown);
    // The examples went into the notes; the generator sees these alone.
    expect(second).not.toContain('answer 2');
  });

  test.each(['dynamic_retrieval', 'full_history', 'empty_sheet'])(
    '%s shows none, not even a loaded one',
    async (mode) => {
      const bench = new CheatsheetBench({
        agent: { mode },
        memory: { _type: 'hybrid' },
        loaded: loaded([], 'secret notes'),
      });
      await bench.episode('s1', 0);
      expect(bench.prompt()).toContain('## Notes\n(empty)\n');
      expect(bench.prompt()).not.toContain('secret notes');
      // It is not lost for that.
      expect(bench.saved).toMatchObject({ cheatsheet: 'secret notes' });
    },
  );

  test.each(['cumulative', 'retrieval_synthesis'])('%s begins with a loaded one', async (mode) => {
    const bench = new CheatsheetBench({
      agent: { mode },
      memory: { _type: 'hybrid' },
      loaded: loaded([], 'old notes'),
    });
    await bench.episode('s1', 0);
    for (const purpose of ['act', mode === 'cumulative' ? 'curate' : 'synthesize'])
      expect(bench.prompts(purpose)[0]).toContain('old notes');
  });
});

describe('templates', () => {
  const generator = 'G {question} | {cheatsheet} | {examples} | \\frac{{a}}{{b}} {{other}}';
  const curator = 'C {question} | {answer} | {cheatsheet} | {max_chars}';

  test('stand in the config, or in files beside it', async () => {
    const folder = folderWith({ 'g.txt': generator, 'c.md': curator });
    for (const [generator_template, cheatsheet_template] of [
      [generator, curator],
      [`${folder}/g.txt`, `${folder}/c.md`],
    ]) {
      const bench = new CheatsheetBench({
        agent: { generator_template, cheatsheet_template },
        say: ({ purpose }) => (purpose === 'act' ? 'answer' : says('notes')),
      });
      await bench.episode('s1', 0);
      await bench.episode('s2', 0);
      expect(bench.requests.map(({ messages }) => messages)).toEqual(
        [
          'G s1 question 0 | (empty) |  | \\frac{a}{b} {other}',
          'C s1 question 0 | answer | (empty) | 20000',
          'G s2 question 0 | notes |  | \\frac{a}{b} {other}',
          'C s2 question 0 | answer | notes | 20000',
        ].map((content) => [{ role: 'user', content }]),
      );
    }
  });

  test('serve the synthesis too', async () => {
    const bench = new CheatsheetBench({
      agent: { mode: 'retrieval_synthesis', cheatsheet_template: 'S {question}\n{cheatsheet}\n{examples}' },
      loaded: loaded(fruit('plum'), 'old'),
    });
    await bench.episode('s1', 0, { obs: 'Seeds of the plum?' });
    expect(bench.prompts('synthesize')[0]).toMatch(/^S Seeds of the plum\?\nold\n## Similar tasks/);
    expect(examples(bench.prompts('synthesize')[0] ?? '')).toHaveLength(2);
  });

  test('what is put into one is not filled in again', async () => {
    const odd = 'Solve {cheatsheet} and \\frac{1}{2} of {examples} with {answer} {feedback} {max_chars} $&';
    const bench = new CheatsheetBench({
      say: ({ purpose }) => (purpose === 'act' ? `{question} ${odd}` : says(`{question} ${odd}`)),
    });
    await bench.episode('s1', 0, { obs: odd });
    await bench.episode('s2', 0, { obs: odd });
    const [, act = ''] = bench.prompts('act');
    expect(act).toContain(`## Notes\n{question} ${odd}\n`);
    expect(act.endsWith(`## Task\n${odd}`)).toBe(true);
    const [, curate = ''] = bench.prompts('curate');
    expect(curate).toContain(`## The task\n${odd}\n`);
    expect(curate).toContain(`## The answer that was given\n{question} ${odd}\n`);
    expect(curate).toContain(`## The notes so far\n{question} ${odd}\n`);
  });

  test.each(['cumulative', 'retrieval_synthesis', 'dynamic_retrieval', 'full_history', 'empty_sheet'])(
    'by default leave no placeholder of theirs in a prompt of %s',
    async (mode) => {
      const bench = new CheatsheetBench({
        agent: { mode, use_code_execution: true, history_k: 1 },
        memory: { _type: 'hybrid' },
      });
      await bench.episode('s1', 0);
      await bench.episode('s2', 0, {}, {});
      for (const { messages } of bench.requests)
        for (const { content } of messages) expect(content).not.toMatch(/\{[a-z_]+\}|undefined|\[object/);
    },
  );

  test('ask for an answer in a form that is graded: the text in <answer>', async () => {
    const bench = new CheatsheetBench();
    await bench.episode('s1', 0);
    expect(bench.prompts('act')[0]).toContain('<answer>\nyour final answer\n</answer>');
  });
});

test('a system prompt goes before the generator’s prompt, and is none by default', async () => {
  for (const [system_prompt, expected] of [
    [undefined, ['user']],
    ['Be brief.', ['system', 'user']],
  ] as const) {
    const bench = new CheatsheetBench({ agent: system_prompt === undefined ? {} : { system_prompt } });
    await bench.episode('s1', 0);
    expect(bench.requests[0]?.messages.map(({ role }) => role)).toEqual(expected);
    expect(bench.requests[1]?.messages.map(({ role }) => role)).toEqual(['user']);
  }
});
