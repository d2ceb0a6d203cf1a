import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { inWords } from '../../src/config/in-words.js';
import { resolveConfig, runInProcess } from '../../src/in-process/index.js';
import { FakeModel, sums } from './support.js';

const reflexion = { type: 'reflexion_agent', history_k: 0 };
const last_attempt = { strategy: 'last_attempt' };

/** What a run's first lines promise is what its prompts hold, with a model that is always wrong. */
test.each<[string, Record<string, unknown>]>([
  ['the least config', {}],
  ['several trials', { runtime: { num_trials: 2 } }],
  [
    'several trials that are told the answer',
    { runtime: { num_trials: 2, memory_scope: 'sample' }, agent: { feedback: 'full' } },
  ],
  ['a history agent', { agent: { type: 'history_agent' } }],
  ['a memory alone', { memory: { max_length: 50 } }],
  ['a history without right answers', { agent: { type: 'memory_agent', feedback: 'outcome' } }],
  ['a history that is not shown', { agent: { history_k: 0 } }],
  ['reflections of each sample', { runtime: { num_trials: 2, memory_scope: 'sample' }, agent: reflexion }],
  ['reflections of all samples', { runtime: { num_trials: 2 }, agent: reflexion }],
  [
    'the last attempt',
    { runtime: { num_trials: 2 }, agent: { ...reflexion, reflection_config: last_attempt } },
  ],
  ['an empty sheet', { agent: { type: 'dynamic_cheatsheet_agent', mode: 'empty_sheet' } }],
  ['every task', { agent: { type: 'dynamic_cheatsheet_agent', mode: 'full_history' } }],
])('%s: the words are true of the prompts', async (_what, sections) => {
  const dataset = { items: sums(3), task_type: 'numeric', id_field: 'id' };
  const lm = { model: 'openai/fake', base_url: 'http://127.0.0.1:9/v1' };
  const config = resolveConfig(
    { name: 'words', dataset, lm, ...sections },
    { source: 'the test', folder: tmpdir(), fallbackName: 'words' },
  );
  const model = new FakeModel(({ call }) => (call.purpose === 'act' ? 'The answer is 999.' : 'Think again.'));
  await runInProcess(config, { languageModel: model });

  const [order, prompts] = inWords(config);
  const acts = model.asked.filter(({ call }) => call.purpose === 'act');
  const shown = acts.map(({ call, messages }) => ({ id: call.sample_id, text: JSON.stringify(messages) }));
  const showsOthers = shown.some(({ id, text }) =>
    dataset.items.some((item) => item.id !== id && text.includes(String(item.question))),
  );
  expect(showsOthers).toBe(
    /(?:entries|tasks?) \(.*of the samples before it/.test(prompts) || prompts.includes('every task'),
  );
  expect(shown.some(({ text }) => /target\\+":/.test(text))).toBe(prompts.includes('with the right answers'));
  expect(shown.some(({ text }) => text.includes('Think again.'))).toBe(prompts.includes('reflections on'));
  const isAlone = shown.every(({ text }) => !/999|Think again/.test(text));
  expect(isAlone).toBe(prompts === 'Each prompt shows its question alone.');
  expect(model.mostInFlight > 1).toBe(order.startsWith('Samples are independent'));
});
