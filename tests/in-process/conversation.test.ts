import { describe, expect, test } from 'vitest';
import { runInProcess } from '../../src/in-process/index.js';
import { config, FakeModel, temporaryFile } from './support.js';

const EARLIER = [
  { role: 'user', content: 'I ask about sums.' },
  { role: 'assistant', content: 'Go on.' },
];
const QUESTION = { role: 'user', content: 'What is 2 + 2?' };
const items = [
  {
    id: 'chat',
    messages: [{ role: 'system', content: 'Digits only.' }, ...EARLIER, QUESTION],
    answer: 'B',
    choices: ['3', '4'],
  },
  { id: 'plain', messages: 'What is 1 + 1?', answer: 'A', choices: ['2', '5'] },
];
const dataset = { items, task_type: 'mcq', input_field: 'messages', choices_field: 'choices' };
const ASKED = '{question}\nAnswer by letter.';

describe('a dataset of conversations', () => {
  test('is asked as messages, with choices and instruction in the last one, and shown as text', async () => {
    const model = new FakeModel(() => 'Answer: B');
    const { rows, calls } = await runInProcess(
      config({
        dataset: { ...dataset, instruction_template: ASKED, system: 'Think.' },
        agent: { history_k: 10 },
      }),
      { languageModel: model },
    );
    const [first, second] = model.asked;
    expect(first?.messages).toEqual([
      { role: 'system', content: 'Digits only.' },
      ...EARLIER,
      { role: 'user', content: 'What is 2 + 2?\n(A) 3\n(B) 4\nAnswer by letter.' },
    ]);
    expect(calls[0]?.messages).toEqual(first?.messages);
    const text =
      'User: I ask about sums.\n\nAssistant: Go on.\n\nUser: What is 2 + 2?\n(A) 3\n(B) 4\nAnswer by letter.';
    expect(second?.messages).toEqual([
      { role: 'system', content: 'Think.' },
      { role: 'user', content: expect.stringContaining(`Observation: ${text}\nAction: Answer: B`) },
    ]);
    expect(rows).toMatchObject([
      {
        question: 'User: I ask about sums.\n\nAssistant: Go on.\n\nUser: What is 2 + 2?',
        feedback: { correct: true },
      },
      { question: 'What is 1 + 1?', feedback: { correct: false } },
    ]);
  });

  test('an environment of one’s own is given the last message as the question, and all of them', async () => {
    const env_file = await temporaryFile(
      'echo.mjs',
      `export class Echo {
        constructor(task) { this.task = task; }
        reset() { return { state: null, obs: 'Asked: ' + this.task.question }; }
        step(_state, action) {
          const correct = action === this.task.question && this.task.messages.length === 4;
          return { state: null, obs: null, done: true, info: {}, feedback: { correct, target: '', message: '' } };
        }
      }`,
    );
    const model = new FakeModel(() => 'What is 2 + 2?');
    const { rows } = await runInProcess(
      config({
        dataset: {
          items: [items[0]],
          input_field: 'messages',
          task_type: 'custom',
          env_class: 'Echo',
          env_file,
        },
      }),
      { languageModel: model },
    );
    expect(model.asked[0]?.messages.at(-1)?.content).toBe('Asked: What is 2 + 2?');
    expect(rows[0]?.feedback?.correct).toBe(true);
  });

  const ownAgent = (head: string) =>
    temporaryFile(
      'agent.mjs',
      `export default class {
        ${head}
        constructor({ languageModel }) { this.model = languageModel; }
        reset({ messages }) { this.messages = messages; }
        async act(observation) {
          const messages = this.takesMessages ? this.messages : [{ role: 'user', content: observation }];
          return (await this.model.generate({ purpose: 'act', messages })).text;
        }
        async observe() {}
        async endEpisode() {}
        snapshot() { return {}; }
        restore() {}
      }`,
    );

  test('an agent of one’s own that takes no messages is shown all of them as a text', async () => {
    const model = new FakeModel(() => 'B');
    const file = await ownAgent('');
    await runInProcess(config({ dataset, agent: { type: 'unaware', file } }), { languageModel: model });
    expect(model.asked.map(({ messages }) => messages)).toEqual([
      [
        {
          role: 'user',
          content:
            'System: Digits only.\n\nUser: I ask about sums.\n\nAssistant: Go on.\n\nUser: What is 2 + 2?\n(A) 3\n(B) 4',
        },
      ],
      [{ role: 'user', content: 'What is 1 + 1?\n(A) 2\n(B) 5' }],
    ]);
  });

  test('one that takes them asks with them', async () => {
    const model = new FakeModel(() => 'B');
    const file = await ownAgent('takesMessages = true;');
    await runInProcess(
      config({ dataset: { ...dataset, items: [items[0]] }, agent: { type: 'aware', file } }),
      {
        languageModel: model,
      },
    );
    expect(model.asked[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  });
});
