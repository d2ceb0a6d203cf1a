import { describe, expect, test } from 'vitest';
import { firstDifference, paceChange } from '../../../src/config/pacing.js';
import { groupNotes } from '../../../src/kinds/run/combinations.js';
import { runConfigs } from '../../../src/kinds/run/config.js';
import { configOf, refusal } from '../../support/configs.js';

/** A config of the Dynamic Cheatsheet in a mode. */
const sheet = (mode: string, agent: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  agent: { type: 'dynamic_cheatsheet_agent', mode, ...agent },
  ...more,
});

type Refused = [sections: Record<string, unknown>, field: string, message: string];

const refused: Refused[] = [
  // Agents and memories that do not go together.
  ...['cheatsheet', 'experience_db', 'hybrid'].map(
    (_type): Refused => [
      { memory: { _type } },
      'memory._type',
      `agent history_agent shows the entries of a history_list; a ${_type} is for dynamic_cheatsheet_agent`,
    ],
  ),
  [
    { agent: { type: 'reflexion_agent' }, memory: { type: 'hybrid' } },
    'memory._type',
    'agent reflexion_agent shows the entries of a history_list',
  ],
  [
    sheet('cumulative', {}, { memory: { _type: 'history_list' } }),
    'memory._type',
    'agent.mode cumulative needs a memory of type cheatsheet or hybrid, not history_list',
  ],
  [
    sheet('cumulative', {}, { memory: { _type: 'experience_db' } }),
    'memory._type',
    'needs a memory of type cheatsheet or hybrid, not experience_db',
  ],
  [
    sheet('cumulative', {}, { memory: { type: 'own', file: import.meta.filename } }),
    'memory._type',
    'needs a memory of type cheatsheet or hybrid, not own',
  ],
  [
    sheet('retrieval_synthesis', {}, { memory: { _type: 'cheatsheet' } }),
    'memory._type',
    'agent.mode retrieval_synthesis needs a memory of type hybrid, not cheatsheet',
  ],
  ...['dynamic_retrieval', 'full_history'].map(
    (mode): Refused => [
      sheet(mode, {}, { memory: { _type: 'cheatsheet' } }),
      'memory._type',
      `agent.mode ${mode} needs a memory of type experience_db or hybrid, not cheatsheet`,
    ],
  ),
  // A memory that meets one need and not the other.
  [
    sheet('cumulative', { use_retrieval: true }, { memory: { _type: 'cheatsheet' } }),
    'memory._type',
    'agent.use_retrieval needs a memory of type hybrid, not cheatsheet',
  ],
  [
    sheet('cumulative', { history_k: 2 }, { memory: { _type: 'experience_db' } }),
    'memory._type',
    'agent.mode cumulative needs a memory of type hybrid, not experience_db',
  ],
  [
    sheet('empty_sheet', { history_k: 2 }, { memory: { _type: 'cheatsheet' } }),
    'memory._type',
    'agent.history_k 2 needs a memory of type experience_db or hybrid, not cheatsheet',
  ],
  // The Dynamic Cheatsheet's own fields.
  [sheet('cumulate'), 'agent.mode', '"cumulate" is not allowed; allowed: cumulative, retrieval_synthesis'],
  [sheet('cumulative', { reflection_config: {} }), 'agent.reflection_config', 'unknown field'],
  [sheet('cumulative', { max_code_rounds: 0 }), 'agent.max_code_rounds', 'must be more than 0'],
  [sheet('cumulative', { code_timeout_sec: 0 }), 'agent.code_timeout_sec', 'must be more than 0'],
  [sheet('cumulative', { retrieve_top_k: 0 }), 'agent.retrieve_top_k', 'must be more than 0'],
  [sheet('cumulative', { use_code_execution: 'yes' }), 'agent.use_code_execution', 'must be true or false'],
  ...['retrieval_synthesis', 'dynamic_retrieval'].map(
    (mode): Refused => [
      sheet(mode, { use_retrieval: false }),
      'agent.use_retrieval',
      `mode ${mode} is made of retrieved experiences`,
    ],
  ),
  [sheet('full_history', { use_retrieval: true }), 'agent.use_retrieval', 'shows every experience'],
  [sheet('empty_sheet', { use_retrieval: true }), 'agent.use_retrieval', 'shows none'],
  ...['retrieval_synthesis', 'dynamic_retrieval', 'full_history', 'empty_sheet'].map(
    (mode): Refused => [
      sheet(mode, { curator_sees_feedback: true }),
      'agent.curator_sees_feedback',
      `in mode ${mode} no curator comes after an answer`,
    ],
  ),
  // Epochs.
  [
    { agent: {}, runtime: { epochs: 2, memory_scope: 'run' } },
    'runtime.epochs',
    'so 2 epochs would not be independent of each other; set runtime.memory_scope to sample',
  ],
  [
    { runtime: { epochs: 2 }, lm: { provider: 'simulated', cache: true } },
    'lm.cache',
    'all 2 epochs of a sample (runtime.epochs) would get the reply of the first one',
  ],
  [{ runtime: { epochs: 0 } }, 'runtime.epochs', 'must be more than 0'],
  [
    { runtime: { epochs: 3 }, metrics: { reducers: ['mean', 'pass_at_4'] } },
    'metrics.reducers',
    'pass_at_4 needs 4 epochs; runtime.epochs is 3',
  ],
  [{ metrics: { reducers: ['at_least_2'] } }, 'metrics.reducers', 'at_least_2 needs 2 epochs'],
  [
    { metrics: { reducers: ['median'] } },
    'metrics.reducers[0]',
    'must be mean, mode, at_least_K or pass_at_K',
  ],
  // Fields of the metrics.
  [{ metrics: { cluster: 'passage' } }, 'metrics.cluster', 'no row has passage in its metadata'],
  [{ metrics: { by: 'category' } }, 'metrics.by', 'must be a list'],
  [{ metrics: { by: Array(9).fill('a') } }, 'metrics.by', 'must have at most 8 entries'],
  // Templates that leave out what the config asks for.
  [
    sheet('empty_sheet', { generator_template: 'a\nb' }),
    'agent.generator_template',
    'must contain {question}',
  ],
  [sheet('cumulative', { generator_template: '{question}' }), 'agent.generator_template', '{cheatsheet}'],
  [
    sheet('retrieval_synthesis', { generator_template: '{question}' }),
    'agent.generator_template',
    '{cheatsheet}',
  ],
  [sheet('full_history', { generator_template: '{question}' }), 'agent.generator_template', '{examples}'],
  [
    sheet('dynamic_retrieval', { generator_template: '{question}' }),
    'agent.generator_template',
    '{examples}',
  ],
  [
    sheet('cumulative', { generator_template: '{question}{cheatsheet}', use_retrieval: true }),
    'agent.generator_template',
    '{examples}',
  ],
  [
    sheet('empty_sheet', { generator_template: '{question}', history_k: 1 }),
    'agent.generator_template',
    '{examples}',
  ],
  [sheet('cumulative', { cheatsheet_template: '{cheatsheet}' }), 'agent.cheatsheet_template', '{answer}'],
  [
    sheet('cumulative', { cheatsheet_template: '{answer}', curator_sees_feedback: true }),
    'agent.cheatsheet_template',
    '{feedback}',
  ],
  [
    sheet('retrieval_synthesis', { cheatsheet_template: '{examples}' }),
    'agent.cheatsheet_template',
    '{question}',
  ],
  [
    sheet('retrieval_synthesis', { cheatsheet_template: '{question}' }),
    'agent.cheatsheet_template',
    '{examples}',
  ],
  // Placeholders that there are not, or not in this mode.
  [
    sheet('empty_sheet', { generator_template: '{questoin}' }),
    'agent.generator_template',
    'the placeholder {questoin} is not known, did you mean {question}? (there are {question}, {cheatsheet}, {examples}, {code})',
  ],
  [
    sheet('cumulative', { cheatsheet_template: '{answer} {examples}' }),
    'agent.cheatsheet_template',
    'the placeholder {examples} is not known',
  ],
  [
    sheet('retrieval_synthesis', { cheatsheet_template: '{question} {examples} {answer}' }),
    'agent.cheatsheet_template',
    'the placeholder {answer} is not known',
  ],
  [
    sheet('empty_sheet', { generator_template: 'In \\boxed{}: {question}' }),
    'agent.generator_template',
    "'{}' at character 10 of the template is no placeholder; write {{}} for the braces themselves",
  ],
];

test.each(refused)('%j is refused at %s: %s', (sections, field, message) => {
  const error = refusal(() => configOf(sections));
  expect(error.message).toContain(message);
  expect(error.message.startsWith(`run.yaml: ${field}: `)).toBe(true);
  expect(error.field).toBe(field);
});

test.each([
  ['generator_template', 'no such file.txt', 'there is no file at /configs/no such file.txt'],
  ['cheatsheet_template', '/', '/ cannot be read: EISDIR'],
  ['generator_template', 's3://bucket/template.txt', 's3://bucket/template.txt cannot be read'],
])('agent.%s: %s is no template, and no file', (field, given, message) => {
  const error = refusal(() => configOf(sheet('cumulative', { [field]: given })));
  expect(error.message.startsWith(`run.yaml: agent.${field}: ${message}`)).toBe(true);
  expect(error.field).toBe(`agent.${field}`);
});

describe('fields of the metrics', () => {
  const grouped = (metrics: object, meta_fields: string[] = ['category', 'extra']) =>
    configOf({
      dataset: { items: [{ question: 'q', answer: 'a', category: 'c', extra: {} }], meta_fields },
      metrics,
    });

  test('may be those of the metadata, and what is in a mapping there', () => {
    expect(grouped({ cluster: 'extra.passage' }).metrics.cluster).toBe('extra.passage');
    expect(groupNotes(grouped({ by: ['category', 'extra.level'] }))).toEqual([]);
  });

  test('which the metadata does not have are noted before anything is paid', () => {
    expect(groupNotes(grouped({ by: ['category', 'level'] }))).toEqual([
      'metrics.by: level is not in dataset.meta_fields, so its groups are only those that the environment reports in feedback.extra.',
    ]);
  });

  test('make no other run, and hold in progress as it was begun', () => {
    const [without, other] = [grouped({}), grouped({ by: ['category'], cluster: 'category' })];
    expect(firstDifference(runConfigs, without, other)).toBeNull();
    expect(paceChange(runConfigs, without, other)).toEqual({
      concurrency: null,
      fixed: { field: 'metrics.by', was: [], asked: ['category'] },
    });
  });
});
