import { describe, expect, it, onTestFinished } from 'vitest';
import type { GenerateRequest } from '../../src/contracts/language-model.js';
import { runInProcess } from '../../src/in-process/index.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { config, FakeModel, prompt, solve, temporaryFile } from './support.js';

const SAMPLES = 4;
const hasPython = await findPython();

/** A model that solves sums, and grades with the given texts in turn. */
function judge(grade: (request: GenerateRequest) => string): FakeModel {
  return new FakeModel((request) => (request.call.purpose === 'grade' ? grade(request) : solve(request)));
}

it('scores answers by plain scorers, beside the environment, with standard errors and by groups', async () => {
  const items = [
    { id: 'a', question: 'Which city?', answer: 'Oslo', area: 'north' },
    { id: 'b', question: 'Which cities?', answer: ['the city of Rome', 'Rome'], area: 'south' },
    { id: 'c', question: 'Which one?', answer: 'Santiago', area: 'south' },
  ];
  const said: Record<string, string> = { a: 'It is <answer>Oslo</answer>', b: 'Rome', c: 'no idea' };
  const model = new FakeModel(({ call }) => said[call.sample_id] ?? '');
  const { metrics, rows } = await runInProcess(
    config({
      dataset: { items, task_type: 'exact', meta_fields: ['area'] },
      scorers: ['environment', 'exact', 'includes', 'f1', 'bleu', 'rouge'] as never,
      metrics: { by: ['area'] },
    }),
    { languageModel: model },
  );
  expect(rows.map(({ scores }) => scores?.f1)).toEqual([1, 1, 0]);
  expect(rows.map(({ scores }) => scores?.includes)).toEqual([true, true, false]);
  expect(rows[1]?.scores).toMatchObject({ environment: true, exact: true, 'rouge.1': 1, 'rouge.l': 1 });
  expect(metrics.scores?.f1).toMatchObject({ samples: 3, is_share: false });
  expect(metrics.scores?.f1?.mean).toBeCloseTo(2 / 3, 12);
  expect(metrics.scores?.exact).toMatchObject({ is_share: true });
  expect(metrics.scores?.exact?.stderr).toBeCloseTo(metrics.accuracy_stderr as number, 12);
  expect(metrics.by?.area?.south?.scores?.f1).toMatchObject({ samples: 2, mean: 0.5 });
  expect(metrics.by?.area?.north?.scores?.includes).toMatchObject({ samples: 1, mean: 1 });
});

it('has a model grade, reads the last grade, asks again where there is none, and counts its calls', async () => {
  const model = judge(({ call, messages }) => {
    if (call.sample_id === 's2' && call.ordinal === 0) return 'A fine answer.';
    if (call.sample_id === 's3') return 'GRADE: C, it says; but no. GRADE: I';
    if (call.sample_id === 's4') return 'GRADE: X';
    expect(messages.at(-1)?.content).toContain('GRADE: <letter>');
    return 'Reasons.\n**GRADE: C**';
  });
  const { metrics, rows, calls, trajectories } = await runInProcess(
    config({ scorers: { quality: { type: 'model_graded', rubric: 'It is friendly.' } } }, SAMPLES),
    { languageModel: model, trajectories: true },
  );
  expect(rows.map(({ scores }) => scores?.quality)).toEqual([true, true, false, null]);
  expect(rows[3]).toMatchObject({ error: null, unscored: { quality: 'no verdict could be read' } });
  expect(metrics).toMatchObject({ accuracy: 1, errors: 0, unscored: { quality: 1 } });
  expect(metrics.scores?.quality).toMatchObject({ samples: 3, is_share: true });
  // Two of the samples are asked again: once, and twice.
  expect(metrics.calls_by_purpose).toMatchObject({ act: { lm_calls: 4 }, grade: { lm_calls: 7 } });
  expect(metrics.by_role).toMatchObject({ agent: { lm_calls: 4 }, judge: { lm_calls: 7 } });
  expect(metrics.lm_calls).toBe(11);
  const again = calls.find(
    (call) => call.purpose === 'grade' && call.sample_id === 's2' && call.ordinal === 1,
  );
  expect(again?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(again?.messages[0]?.content).toMatch(/<answer>\nThe answer is 2\.\n<\/answer>/);
  expect(again?.messages[2]?.content).toContain('It has no line "GRADE: "');
  // What graded the answer is no part of what an agent is trained on.
  expect(trajectories?.flatMap(({ timesteps }) => timesteps.flatMap(({ chats }) => chats))).toHaveLength(4);
});

it('replays a recording of graded answers without a model', async () => {
  const scorers = { quality: { type: 'model_graded', votes: 3 } };
  const first = await runInProcess(config({ scorers }), {
    languageModel: judge(({ call }) => (call.ordinal === 0 ? 'GRADE: I' : 'GRADE: C')),
  });
  expect(first.rows.map(({ scores }) => scores)).toEqual(
    Array.from({ length: 3 }, () => ({ quality: true, 'quality.unanimous': false })),
  );
  const recording = await temporaryFile(
    'calls.jsonl',
    first.calls.map((call) => JSON.stringify(call)).join('\n'),
  );
  const again = await runInProcess(
    config({ scorers, lm: { model: 'replay/fake', base_url: null, recording } as never }),
  );
  expect(again.metrics.scores).toEqual(first.metrics.scores);
  expect(again.metrics.cost_usd).toBe(0);
});

it('has the model of the role judge grade for scorers without one of their own', async () => {
  const named = (name: string) => ({ model: `openai/${name}`, base_url: 'http://127.0.0.1:9/v1' });
  const scorers = { quality: { type: 'model_graded' }, own: { type: 'model_graded', lm: named('own') } };
  const models = { judge: named('judge') };
  const { calls } = await runInProcess(config({ scorers, models } as never, 1), {
    languageModel: judge(() => 'GRADE: C'),
  });
  expect(calls.map(({ purpose, model }) => [purpose, model])).toEqual([
    ['act', 'fake'],
    ['grade', 'judge'],
    ['grade', 'own'],
  ]);
});

it('lets a panel vote by strict majority, and leaves what has none unscored', async () => {
  const model = judge(({ call }) =>
    call.sample_id === 's1' || call.ordinal < 3 ? 'GRADE: C' : 'none at all',
  );
  const panel = [
    { model: 'openai/one', base_url: 'http://127.0.0.1:9/v1' },
    { model: 'openai/two', base_url: 'http://127.0.0.1:9/v1' },
  ];
  const { rows } = await runInProcess(config({ scorers: { panel: { type: 'model_graded', panel } } }, 2), {
    languageModel: model,
  });
  expect(rows[0]?.scores).toEqual({ panel: true, 'panel.unanimous': true });
  expect(rows[1]).toMatchObject({ scores: { panel: null }, unscored: { panel: 'no majority: C, unread' } });
});

it('asks in both orders which of two answers is better, and calls a disagreement a tie', async () => {
  const items = ['better', 'first', 'worse'].map((id) => ({
    id,
    question: `${id}?`,
    answer: id,
    baseline: 'old',
  }));
  const model = new FakeModel((request) => {
    const { call } = request;
    if (call.purpose !== 'grade') return 'new';
    const isFirst = /<answer_a>\nnew/.test(prompt(request));
    if (call.sample_id === 'first') return 'GRADE: A';
    return (call.sample_id === 'better') === isFirst ? 'GRADE: A' : 'GRADE: B';
  });
  const { rows, metrics } = await runInProcess(
    config({
      dataset: { items, task_type: 'exact', meta_fields: ['baseline'] },
      scorers: { wins: { type: 'model_graded', compare_with: 'baseline' } },
    }),
    { languageModel: model },
  );
  expect(rows.map(({ scores }) => scores)).toEqual([
    { wins: 1, 'wins.order_agreed': true },
    { wins: 0.5, 'wins.order_agreed': false },
    { wins: 0, 'wins.order_agreed': true },
  ]);
  expect(metrics.scores?.wins).toMatchObject({ mean: 0.5 });
  const absent = config({
    dataset: {
      items: [{ id: 'x', question: 'x?', answer: 'x' }],
      task_type: 'exact',
      meta_fields: ['baseline'],
    },
    scorers: { wins: { type: 'model_graded', compare_with: 'baseline' } },
  });
  await expect(runInProcess(absent, { languageModel: model })).rejects.toThrow(/baseline/);
});

it('has agreement with the labels of a dataset, also of numbers on a scale', async () => {
  const labels = ['C', 'I', 'C', 'maybe'];
  const items = labels.map((label, index) => ({
    id: `s${index + 1}`,
    question: `What is ${index + 1} + 0?`,
    answer: String(index + 1),
    label,
    stars: index + 1,
  }));
  const model = judge(({ call, messages }) =>
    /SCORE/.test(messages[0]?.content ?? '')
      ? `SCORE: ${Number(call.sample_id.slice(1))}/5`
      : call.sample_id === 's3'
        ? 'GRADE: I'
        : `GRADE: ${labels[Number(call.sample_id.slice(1)) - 1] === 'I' ? 'I' : 'C'}`,
  );
  const { metrics } = await runInProcess(
    config({
      dataset: { items, meta_fields: ['label', 'stars'] },
      scorers: {
        letters: { type: 'model_graded', label_field: 'label' },
        numbers: { type: 'model_graded', verdict: 'number', scale: [1, 5], label_field: 'stars' },
      },
    }),
    { languageModel: model },
  );
  expect(metrics.agreement?.letters).toMatchObject({ samples: 3, level: 'nominal' });
  expect(metrics.agreement?.letters?.accuracy).toBeCloseTo(2 / 3, 12);
  expect(metrics.agreement?.letters?.kappa).toBeCloseTo(0.4, 12);
  expect(metrics.agreement?.numbers).toMatchObject({ samples: 4, accuracy: 1, alpha: 1, level: 'interval' });
  expect(metrics.scores?.numbers?.mean).toBeCloseTo((0 + 0.25 + 0.5 + 0.75) / 4, 12);
  expect(metrics.figure_warnings).toEqual([expect.stringMatching(/scorers\.letters\.label_field: 1 label/)]);
});

it('counts a call of a judge that fails for good as an error, which is no score', async () => {
  const model = new FakeModel((request) => {
    if (request.call.purpose !== 'grade') return solve(request);
    if (request.call.sample_id === 's2') return 'GRADE: C';
    return new LanguageModelError('overloaded', 'the judge is away', { provider: 'openai' });
  });
  const { rows, metrics } = await runInProcess(
    config(
      {
        scorers: {
          quality: {
            type: 'model_graded',
            lm: { model: 'openai/judge', base_url: 'http://127.0.0.1:9/v1', max_attempts: 2 },
          },
        },
      } as never,
      2,
    ),
    { languageModel: model, pause: async () => undefined },
  );
  expect(rows[0]?.error).toMatchObject({
    type: 'overloaded',
    message: expect.stringMatching(/^scorers\.quality: .*the judge is away/),
  });
  expect(rows[0]?.scores).toBeUndefined();
  expect(metrics).toMatchObject({ samples: 2, errors: 1, correct: 1 });
});

it('scores by a function of the user, which may fail without harm', async () => {
  const file = await temporaryFile(
    'scorer.ts',
    `export function score(answer: string, sample: { id: string; target: string; options: { bonus: number } }) {
      if (sample.id === 's2') throw new Error('no opinion');
      if (sample.id === 's3') return 7;
      if (sample.id === 's4') return new Map([['right', true]]);
      return { length: Math.min(answer.length / 100, 1), right: answer.includes(sample.target), bonus: sample.options.bonus };
    }`,
  );
  const { rows, metrics } = await runInProcess(
    config({ scorers: { own: { type: 'code', file, options: { bonus: 0.5 } } } }, 4),
    { languageModel: new FakeModel(solve) },
  );
  expect(rows[0]?.scores).toEqual({ 'own.length': 0.16, 'own.right': true, 'own.bonus': 0.5 });
  expect(rows[1]?.unscored?.own).toMatch(/score failed: no opinion \(scorer\.ts:2\)/);
  expect(rows[2]?.unscored?.own).toMatch(/score returned 7; a score is/);
  expect(rows[3]?.unscored?.own).toMatch(/score failed: it holds a Map: answer what is in it as an object/);
  expect(metrics).toMatchObject({ errors: 0, unscored: { own: 3 } });
});

it.skipIf(mustSkipPython(hasPython))('scores by a Python function in the sandbox', async () => {
  const file = await temporaryFile(
    'scorer.py',
    `def score(answer, sample):
    if sample["id"] == "s2":
        raise ValueError("no opinion")
    return {"right": sample["target"] in answer, "length": min(len(answer) / 100, 1)}
`,
  );
  const { rows, metrics } = await runInProcess(
    config({ scorers: { own: { type: 'code', file } }, sandbox: { type: 'process' } }, 2),
    { languageModel: new FakeModel(solve) },
  );
  expect(rows[0]?.scores).toEqual({ 'own.right': true, 'own.length': 0.16 });
  expect(rows[1]?.unscored?.own).toMatch(/score failed \(.*\): .*no opinion/);
  expect(metrics.errors).toBe(0);
});

it('scores by the similarity of vectors, which are paid once', async () => {
  const provider = await startFakeProvider('openai');
  onTestFinished(() => provider.close());
  const items = [
    { id: 'a', question: 'Which?', answer: 'the red fox' },
    { id: 'b', question: 'Which one?', answer: ['a green frog', 'the blue whale'] },
  ];
  const said: Record<string, string> = { a: 'the red fox', b: 'the blue fox' };
  const { metrics, rows } = await runInProcess(
    config({
      dataset: { items, task_type: 'exact' },
      scorers: { close: { type: 'similarity', model: 'openai/vectors', base_url: provider.baseUrl } },
    }),
    { languageModel: new FakeModel(({ call }) => said[call.sample_id] ?? '') },
  );
  expect(rows[0]?.scores?.close).toBeCloseTo(1, 6);
  expect(rows[1]?.scores?.close).toBeCloseTo(2 / 3, 6);
  // Two texts of the first sample are the same.
  expect(metrics.embeddings).toMatchObject({ texts: 4 });
});

describe('a config with scorers', () => {
  const refused = (scorers: object, more: object = {}) => {
    try {
      config({ scorers, ...more } as never);
    } catch (error) {
      return (error as Error).message;
    }
    return 'accepted';
  };

  it.each([
    [{ q: {} }, /scorers\.q\.type/],
    [{ 'a.b': { type: 'f1' } }, /must be letters, digits, _ and -/],
    [{ regex: { pattern: '(' } }, /scorers\.regex\.pattern: .*Invalid regular expression/],
    [{ json_schema: { schema: { type: 'nothing' } } }, /scorers\.json_schema\.schema: is no JSON Schema/],
    [{ code: { file: 'absent.ts' } }, /scorers\.code\.file: there is no file/],
    [{ f1: { label_field: 'human' } }, /scorers\.f1\.label_field: .*dataset\.meta_fields/],
    [
      { model_graded: { template: 'Is {reply} right?' } },
      /scorers\.model_graded\.template: .*\{reply\} is not known/,
    ],
    [{ model_graded: { template: 'Is it right?\n' } }, /the template must contain \{answer\}/],
    [{ model_graded: { scale: [1, 5] } }, /scorers\.model_graded\.scale: is for verdict number and json/],
    [{ model_graded: { compare_with: 'old' } }, /scorers\.model_graded\.compare_with: .*meta_fields/],
    [{ model_graded: { votes: 3, lm: { model: 'openai/x', cache: true } } }, /votes: with lm\.cache/],
    [{ model_graded: { lm: { model: 'nobody/x' } } }, /scorers\.model_graded\.lm\.model: 'nobody\/x'/],
  ])('%j is refused', (scorers, message) => {
    expect(refused(scorers)).toMatch(message);
  });

  it('may be a list of types, and name a model alone', () => {
    const { scorers } = config({ scorers: ['f1', 'mcq'] } as never);
    expect(scorers).toMatchObject({ f1: { type: 'f1', reads: 'answer' }, mcq: { type: 'mcq' } });
    const graded = config({ scorers: { model_graded: { lm: 'openai/judge' } } });
    expect(graded.scorers.model_graded).toMatchObject({ lm: { provider: 'openai', model: 'judge' } });
  });
});
