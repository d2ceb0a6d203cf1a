import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { asTexts, asValues, parseYaml } from '../../src/config/yaml-text.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { configOf, folderWith, refusal } from '../support/configs.js';

const load = (yaml: string, overrides: string[] = []) =>
  loadConfig(runConfigs, join(folderWith({ 'a.yaml': yaml }), 'a.yaml'), { overrides });

/** Of every kind of plain scalar: what is written, what it means, and what it is as a text. */
const SCALARS: [written: string, value: unknown, text: unknown][] = [
  // js-yaml#277, js-yaml#601, js-yaml#674
  ['12345678901234567890', 12345678901234567000, '12345678901234567890'],
  ['12345678901234567000', 12345678901234567000, '12345678901234567000'],
  ['9007199254740993', 9007199254740992, '9007199254740993'],
  ['007', 7, '007'],
  ['1.10', 1.1, '1.10'],
  ['4.0', 4, '4.0'],
  ['0o14', 12, '0o14'],
  ['0x1F', 31, '0x1F'],
  ['1e3', 1000, '1e3'],
  ['.5', 0.5, '.5'],
  ['5.', 5, '5.'],
  ['+5', 5, '+5'],
  ['-0', -0, '-0'],
  ['True', true, 'True'],
  ['FALSE', false, 'FALSE'],
  ['.inf', Number.POSITIVE_INFINITY, '.inf'],
  ['-.Inf', Number.NEGATIVE_INFINITY, '-.Inf'],
  ['.nan', Number.NaN, '.nan'],
  // Written as they would be written again.
  ['5', 5, 5],
  ['-0.5', -0.5, -0.5],
  ['true', true, true],
  // Nothing, by whichever name.
  ['~', null, null],
  ['null', null, null],
  ['', null, null],
  // Texts.
  ['NO', 'NO', 'NO'],
  ['yes', 'yes', 'yes'],
  ['on', 'on', 'on'],
  ['1_000', '1_000', '1_000'],
  ['1,000', '1,000', '1,000'],
  ['2024-01-01', '2024-01-01', '2024-01-01'],
  ['12:30:45', '12:30:45', '12:30:45'],
  ['"1.10"', '1.10', '1.10'],
  ["'007'", '007', '007'],
  ['!!int 5', 5, 5],
];

describe('a scalar', () => {
  test.each(SCALARS)('%j means %j and is written %j', (written, value, text) => {
    const parsed = parseYaml(`a: ${written}\n`);
    expect(asValues(parsed)).toEqual({ a: value });
    expect(asTexts(parsed)).toEqual({ a: text });
  });

  test('of YAML 1.1, which a directive may ask for, keeps its text as well', () => {
    const parsed = parseYaml('%YAML 1.1\n---\n[yes, NO, 1_000, 2024-01-01, 12:30, 014]\n');
    expect(asTexts(parsed)).toEqual(['yes', 'NO', '1_000', '2024-01-01', '12:30', '014']);
  });

  test('as a key is the text that is written', () => {
    expect(asValues(parseYaml('007: a\n1.10: b\nTrue: c\n'))).toEqual({ '007': 'a', '1.10': 'b', True: 'c' });
  });
});

describe('rows of dataset.items', () => {
  const items = (rows: string, dataset = '') =>
    load(`dataset:\n  items: ${rows}\n${dataset}lm: { provider: simulated }\n`).dataset.items;

  test('keep their questions, answers and choices as they are written, at every depth', () => {
    expect(items('[{ question: 1.10, answer: 007, choices: [1.0, 2.50], more: { code: 0x1F } }]')).toEqual([
      { question: '1.10', answer: '007', choices: ['1.0', '2.50'], more: { code: '0x1F' } },
    ]);
  });

  test('give an environment numbers in the fields that only it is handed', () => {
    const rows = '[{ question: q, answer: 4.0, limit: 0.50, of: { tolerance: 1e-3 }, shown: 1.0 }]';
    const mapping =
      '  meta_fields: [answer, limit, of.tolerance, shown]\n  prompt_template: "{question} {shown}"\n';
    expect(items(rows, mapping)).toEqual([
      { question: 'q', answer: '4.0', limit: 0.5, of: { tolerance: 0.001 }, shown: '1.0' },
    ]);
  });

  test('keep them in a config in JSON and in --set', () => {
    const json = '{"dataset":{"items":[{"question":"q","answer":1.10}]},"lm":{"provider":"simulated"}}';
    const path = join(folderWith({ 'a.json': json }), 'a.json');
    expect(loadConfig(runConfigs, path).dataset.items).toEqual([{ question: 'q', answer: '1.10' }]);
    const set = load('lm: { provider: simulated }\n', ['dataset.items=[{question: q, answer: 007}]']);
    expect(set.dataset.items).toEqual([{ question: 'q', answer: '007' }]);
  });

  test('have numbers in every other section of the config', () => {
    const config = load(
      'seed: 007\ndataset: { items: [{ question: q, answer: &a 0.50 }], task_type: numeric, env_options: { tolerance: 1.0e-2 } }\nlm: { provider: simulated, temperature: *a }\n',
    );
    expect(config).toMatchObject({
      seed: 7,
      lm: { temperature: 0.5 },
      dataset: { items: [{ answer: '0.50' }], env_options: { tolerance: 0.01 } },
    });
  });
});

test('thousands of aliases are read without a walk through the text for each', { timeout: 20_000 }, () => {
  const rows = Array.from({ length: 8000 }, (_, at) => `- { a: &x${at} { n: ${at} }, b: *x${at} }\n`);
  expect((parseYaml(rows.join('')) as object[]).at(-1)).toEqual({ a: { n: 7999 }, b: { n: 7999 } });
});

describe('merge keys', () => {
  test('are carried out in sections and in rows; what is beside them wins', () => {
    const config = load(
      `x-lm: &lm { provider: simulated, temperature: 0.70 }
x-row: &row { hint: none, answer: a }
dataset:
  items:
    - &q { question: Q, answer: a, hint: 1.10 }
    - { <<: *q, question: Q2 }
    - { <<: [*row, *q], question: Q3 }
lm: { <<: *lm, max_output_tokens: 10 }
`,
    );
    expect(config.lm).toMatchObject({ provider: 'simulated', temperature: 0.7, max_output_tokens: 10 });
    expect(config.dataset.items).toEqual([
      { question: 'Q', answer: 'a', hint: '1.10' },
      { question: 'Q2', answer: 'a', hint: '1.10' },
      { question: 'Q3', answer: 'a', hint: 'none' },
    ]);
  });

  test.each(['{ <<: 5, question: q }', '{ <<: [1], question: q }', '{ <<: *none, question: q }'])(
    '%s merges nothing and is refused',
    (row) => {
      const yaml = `dataset: { items: [${row}] }\nlm: { provider: simulated }\n`;
      expect(refusal(() => load(yaml)).message).toMatch(
        /is not valid YAML: (Merge sources|Unresolved alias)/,
      );
    },
  );
});

test.each([
  ['{ question: q, answer: 1,000 }', '000'],
  ['{ question: "q", answer: 1,234 }', '234'],
  ['{ question: Is it Paris, France?, answer: yes }', 'France?'],
  ['{ question: q, answer: red, "green" }', 'green'],
])('a comma that cuts a text in %s is refused with what comes after it', (row, rest) => {
  const yaml = `dataset:\n  items:\n    - ${row}\nlm: { provider: simulated }\n`;
  const { message } = refusal(() => load(yaml));
  expect(message).toContain(`'${rest}' at line 3, column `);
  expect(message).toContain('stands without a value: within { … } a text with a comma is written in quotes');
});

describe('a variable that nothing replaces', () => {
  const dataset = { items: [{ question: 'q', answer: 'a' }] };

  test.each([
    [{ dataset: { dataset_path: `\${HOME}/rows.jsonl` } }, 'dataset.dataset_path', `\${HOME}/rows.jsonl`],
    [{ dataset: { dataset_path: '~/rows.jsonl' } }, 'dataset.dataset_path', '~/rows.jsonl'],
    [{ dataset, lm: { provider: 'scripted', script: '$DIR/s.yaml' } }, 'lm.script', '$DIR/s.yaml'],
    [{ dataset, lm: { model: `openai/\${MODEL}` } }, 'lm.model', `\${MODEL}`],
    [{ dataset, lm: { provider: 'openai', model: '$MODEL' } }, 'lm.model', '$MODEL'],
    [{ dataset, lm: { model: 'openai/a', base_url: `http://h/\${V}/v1` } }, 'lm.base_url', `\${V}`],
    [{ dataset, output: { results_dir: `\${HOME}/results` } }, 'output.results_dir', `\${HOME}/results`],
    [{ dataset, output: { results_dir: '~/results' } }, 'output.results_dir', '~/results'],
    [{ dataset, output: { results_dir: `s3://\${BUCKET}/a` } }, 'output.results_dir', `\${BUCKET}`],
    [{ dataset, output: { save_memory_path: '$OUT/m.json' } }, 'output.save_memory_path', '$OUT/m.json'],
    [
      {
        dataset,
        memory: { _type: 'experience_db', retrieval: { backend: 'embedding', model: `openai/\${EMBED}` } },
      },
      'memory.retrieval.model',
      `\${EMBED}`,
    ],
  ])('in %j is refused as it stands there', (sections, field, text) => {
    const error = refusal(() => configOf({ lm: { provider: 'simulated' }, ...sections }));
    expect(error.field).toBe(field);
    expect(error.message).toContain(text);
    expect(error.message).toContain('stand for themselves in a config: write out what they mean');
  });

  test('is the name of a folder where there is such a one', () => {
    const folder = folderWith({ '$x/rows.jsonl': '{"question":"q","answer":"a"}\n' });
    const config = configOf({
      dataset: { dataset_path: join(folder, '$x/rows.jsonl') },
      output: { results_dir: join(folder, '$x/results') },
    });
    expect(config.output.results_dir).toBe(join(folder, '$x/results'));
  });
});

test.each([
  ['https://example.org/rows.jsonl', 'curl -LO https://example.org/rows.jsonl'],
  ['hf://datasets/openai/gsm8k/main/test.parquet', 'give dataset.hf_name: openai/gsm8k'],
  ['https://huggingface.co/datasets/cais/mmlu', 'give dataset.hf_name: cais/mmlu'],
  ['gs://bucket/rows.jsonl', 'only files of this machine and s3:// are read'],
])('the address %s is refused with what to do', (dataset_path, wayOut) => {
  const error = refusal(() => configOf({ dataset: { dataset_path }, lm: { provider: 'simulated' } }));
  expect(error.field).toBe('dataset.dataset_path');
  expect(error.message).toContain(`${dataset_path} is an address`);
  expect(error.message).toContain(wayOut);
});

test.each(['мой тест.yaml', '漢字.yaml', 'été/mon essai n° 1.yaml'])('a config may be called %s', (name) => {
  const folder = folderWith({
    [name]: 'dataset: { items: [{ question: q, answer: a }] }\nlm: { provider: simulated }\n',
  });
  expect(name).toContain(loadConfig(runConfigs, join(folder, name)).name);
});
