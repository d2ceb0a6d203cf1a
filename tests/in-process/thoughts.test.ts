import { describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/contracts/language-model.js';
import { runInProcess } from '../../src/in-process/index.js';
import { sheet } from '../agents/cheatsheet-bench.js';
import { config, FakeModel, prompt, solve } from './support.js';

/** A reply behind the thoughts that most models write. */
const thinking = (thought: string, said: string) => `<think>\n${thought}\n</think>\n\n${said}`;
const cheatsheet = (mode: string, more: object = {}) => ({
  type: 'dynamic_cheatsheet_agent',
  history_k: undefined,
  mode,
  ...more,
});
const prompts = ({ asked }: FakeModel) =>
  asked.flatMap(({ messages }) => messages.map(({ content }) => content)).join('\n');

describe('what a model thinks', () => {
  test.each(['numeric', 'exact', 'mcq'])('is not its answer: %s', async (task_type) => {
    const items = [
      { id: 'a', question: 'Which?', answer: '2', ...(task_type === 'mcq' && { o: ['1', '2'] }) },
    ];
    const dataset = { items, task_type, ...(task_type === 'mcq' && { choices_field: 'o' }) };
    const said = task_type === 'mcq' ? 'B' : '2';
    for (const [reply, correct] of [
      [thinking('Perhaps 1? Answer: A', said), true],
      [`Perhaps 1</think>${said}`, true],
      [`<think>Answer: ${said}`, false],
      [thinking(`Answer: ${said}`, ''), false],
    ] as const) {
      const result = await runInProcess(config({ dataset }), { languageModel: new FakeModel(() => reply) });
      expect(result.rows[0]).toMatchObject({ error: null, feedback: { correct } });
      expect(result.calls[0]?.text).not.toContain('think');
      expect(result.calls[0]?.reasoning).toMatch(/Perhaps 1|Answer/);
    }
  });

  test('is not shown in later prompts', async () => {
    const model = new FakeModel((request) => thinking('my secret', solve(request)));
    const agent = { type: 'history_agent', history_k: 5 };
    await runInProcess(config({ agent, runtime: { memory_scope: 'run' } }), { languageModel: model });
    expect(prompts(model)).toContain('The answer is 1.');
    expect(prompts(model)).not.toContain('my secret');
  });

  test('is no cheatsheet', async () => {
    const answer = (request: GenerateRequest) =>
      thinking(sheet('a draft'), request.call.purpose === 'act' ? solve(request) : sheet('the notes'));
    const model = new FakeModel(answer);
    const result = await runInProcess(config({ agent: cheatsheet('cumulative') }), { languageModel: model });
    expect(result.memory).toMatchObject({ cheatsheet: 'the notes' });
  });

  test('is no sheet either where nothing is said', async () => {
    const answer = (request: GenerateRequest) =>
      request.call.purpose === 'act' ? solve(request) : `<think>${sheet('a draft')}`;
    const model = new FakeModel(answer);
    const result = await runInProcess(config({ agent: cheatsheet('cumulative') }), { languageModel: model });
    expect(result.memory).toMatchObject({ cheatsheet: '' });
  });

  test('is no program to be run', async () => {
    const draft = '```python\nprint(1)\n```\nEXECUTE CODE!';
    const model = new FakeModel((request) => thinking(draft, solve(request)));
    const agent = cheatsheet('empty_sheet', { use_code_execution: true });
    const sandbox = { type: 'process' };
    const result = await runInProcess(config({ agent, sandbox }), { languageModel: model });
    expect(result.executions).toEqual([]);
    expect(result.metrics.accuracy).toBe(1);
  });

  test('is no reflection', async () => {
    const model = new FakeModel((request) =>
      request.call.purpose === 'reflect'
        ? thinking('Blame the question.', 'Add the numbers.')
        : /Add the numbers/.test(prompt(request))
          ? solve(request)
          : 'The answer is 99.',
    );
    const agent = { type: 'reflexion_agent', history_k: undefined };
    const result = await runInProcess(config({ agent, runtime: { num_trials: 2 } }, 1), {
      languageModel: model,
    });
    expect(result.metrics.accuracy).toBe(1);
    expect(prompts(model)).not.toContain('Blame the question.');
  });
});
