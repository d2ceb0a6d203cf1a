import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import { experimentInProcess } from '../../src/in-process/experiment.js';
import { runInProcess } from '../../src/in-process/index.js';
import { readRows } from '../../src/storage/stored-file.js';
import { config, FakeModel, temporaryFile } from './support.js';

const choices = ['lead', 'iron'];
const items = [
  { question: 'Which rusts?', answer: 'B', choices },
  { question: 'Which is softer?', answer: 'A', choices },
  { question: 'Which is denser?', answer: 'A', choices },
];
const few_shot = { items: [{ question: 'Which is grey?', answer: 'A', choices, why: 'Look.' }] };
const dataset = { items, id_field: undefined, task_type: 'mcq', choices_field: 'choices' };
const OPTIONS = '\n(A) lead\n(B) iron';

async function asked(sections: Record<string, unknown>, agent: Record<string, unknown> = {}) {
  const model = new FakeModel(() => 'B');
  const run = config({ dataset: { ...dataset, ...sections }, agent: { history_k: 0, ...agent } } as never);
  const result = await runInProcess(run, { languageModel: model });
  return { ...result, prompts: model.asked.map(({ messages }) => messages) };
}

describe('examples in prompts', () => {
  test('are turns that look like the question, with the letter as the answer', async () => {
    const { prompts, rows } = await asked({
      few_shot,
      instruction_template: '{question}\nBy letter, please.',
      system: 'You know metals.',
    });
    expect(prompts[0]).toEqual([
      { role: 'system', content: 'You know metals.' },
      { role: 'user', content: `Which is grey?${OPTIONS}\nBy letter, please.` },
      { role: 'assistant', content: 'A' },
      { role: 'user', content: `Which rusts?${OPTIONS}\nBy letter, please.` },
    ]);
    expect(rows.map(({ question, feedback }) => [question, feedback?.correct])).toEqual([
      ['Which rusts?', true],
      ['Which is softer?', false],
      ['Which is denser?', false],
    ]);
  });

  test('stand in the text of the question where there is a template', async () => {
    const { prompts } = await asked({
      few_shot: { ...few_shot, template: 'Q: {question}\nA: {answer}', answer_template: '{why} ({answer})' },
      instruction_template: 'Q: {question}\nA:',
    });
    expect(prompts[0]?.slice(1)).toEqual([
      {
        role: 'user',
        content: `Q: Which is grey?${OPTIONS}\nA: Look. (A)\n\nQ: Which rusts?${OPTIONS}\nA:`,
      },
    ]);
  });

  test('of the dataset itself never show the sample, nor its answer', async () => {
    const { prompts } = await asked({ few_shot: { count: 2 } });
    expect(prompts).toHaveLength(3);
    for (const messages of prompts) {
      const users = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
      expect(new Set(users).size).toBe(3);
    }
  });

  test('are not remembered: memories have the question alone', async () => {
    const { prompts } = await asked({ few_shot }, { history_k: 10 });
    const last = prompts.at(-1)?.at(-1)?.content ?? '';
    expect(last).toContain(`Observation: Which rusts?${OPTIONS}\nAction: B`);
    expect(last).not.toContain('grey');
    expect(prompts.at(-1)?.filter(({ content }) => content.includes('grey'))).toHaveLength(1);
  });

  test('stand before the turns of a conversation, and may be conversations', async () => {
    const turns = (about: string) => [
      { role: 'user', content: `Now ${about}.` },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'Which?' },
    ];
    const { prompts } = await asked({
      items: [{ question: turns('rust'), answer: 'B', choices }],
      few_shot: {
        items: [
          { question: [{ role: 'system', content: 'Not shown.' }, ...turns('colour')], answer: 'A', choices },
        ],
      },
      system: 'Be brief.',
    });
    expect(prompts[0]?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'system: Be brief.',
      'user: Now colour.',
      'assistant: Yes?',
      `user: Which?${OPTIONS}`,
      'assistant: A',
      'user: Now rust.',
      'assistant: Yes?',
      `user: Which?${OPTIONS}`,
    ]);
  });

  test('are shown to an environment of one’s own as its questions are', async () => {
    const env_file = await temporaryFile(
      'loud.mjs',
      `export class Loud {
        constructor(task) { this.task = task; }
        validate() { if (this.task.question.includes('!')) throw new Error('too loud'); }
        reset() { return { state: null, obs: this.task.question.toUpperCase() }; }
        step() {
          return { state: null, obs: null, done: true, info: {}, feedback: { correct: true, target: '', message: '' } };
        }
      }`,
    );
    const own = { task_type: 'custom', env_class: 'Loud', env_file, choices_field: undefined };
    const { prompts } = await asked({ ...own, few_shot });
    expect(prompts[0]?.slice(1).map(({ content }) => content)).toEqual([
      'WHICH IS GREY?',
      'A',
      'WHICH RUSTS?',
    ]);
    const loud = { items: [{ question: 'Oh!', answer: 'A' }] };
    await expect(asked({ ...own, few_shot: loud })).rejects.toThrow(/too loud \(example 0\)/);
  });

  test('are said in the first lines', async () => {
    const model = new FakeModel(() => 'B');
    const { metrics } = await runInProcess(config({ dataset: { ...dataset, few_shot } } as never), {
      languageModel: model,
    });
    expect(JSON.stringify(metrics)).toContain(
      'Each prompt shows its question and an example with its right answer (dataset.few_shot).',
    );
  });
});

test('a kind of one’s own is given the examples with its samples', async () => {
  const kind = await temporaryFile(
    'shots.mjs',
    `export default {
      name: 'shots', models: ['writer'],
      async work({ sample, ask }) {
        const shown = sample.examples.flatMap(({ task, answer }) => [
          { role: 'user', content: task.question }, { role: 'assistant', content: answer },
        ]);
        await ask('writer', { messages: [...shown, { role: 'user', content: sample.question }] });
        return { scores: {} };
      },
    };`,
  );
  const { id_field: _none, ...rest } = dataset;
  const { store } = await experimentInProcess('own-kind', {
    kind,
    models: { writer: 'simulated/x' },
    dataset: { ...rest, few_shot },
    max_samples: 1,
  } as never);
  const calls: CallRecord[] = [];
  for await (const call of readRows<CallRecord>(store, 'calls.jsonl')) calls.push(call);
  expect(calls[0]?.messages.map(({ content }) => content)).toEqual(['Which is grey?', 'A', 'Which rusts?']);
});
