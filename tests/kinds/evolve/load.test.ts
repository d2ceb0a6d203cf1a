import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, resolveConfig } from '../../../src/config/load.js';
import { evolveConfigs } from '../../../src/kinds/evolve/config.js';
import { evolutionFolder, evolveConfigWith, MINIMAL_EVOLUTION } from '../../config/evolve-support.js';
import { refusal } from '../../support/configs.js';

const EVERY_FLAG = {
  name: 'by flags',
  num_iterations: '7',
  scaffolds_per_iter: '2',
  initial_scaffolds: '4',
  num_validation_examples: '6',
  scaffolder_model: 'gemini/gemini-2.5-pro',
  executor_model: 'openai/gpt-4.1-mini',
  task_prompt: 'task.md',
  train_data: 'train.jsonl',
  valid_data: 'valid.jsonl',
  test_data: 'test.jsonl',
  domain: 'game24',
  seed: '9',
  timeout_sec: '30',
  results_dir: 'out',
};

const SAME_FILE = `
name: by flags
task_prompt: task.md
domain: { name: game24 }
data: { train: train.jsonl, valid: valid.jsonl, test: test.jsonl }
evolution: { num_iterations: 7, scaffolds_per_iter: 2, initial_scaffolds: 4, num_validation_examples: 6 }
models: { scaffolder: { model: gemini/gemini-2.5-pro }, executor: { model: openai/gpt-4.1-mini } }
seed: 9
timeout_sec: 30
output: { results_dir: out }
`;

test('models may stand in the sections of their roles', () => {
  const models = 'scaffolder: { lm: { model: gemini/gemini-2.5-pro } }\nexecutor: openai/gpt-4.1-mini';
  const { at } = evolutionFolder({
    'whole.yaml': SAME_FILE,
    'sections.yaml': SAME_FILE.replace(/^models:.*$/m, models),
  });
  expect(loadConfig(evolveConfigs, at('sections.yaml'))).toEqual(loadConfig(evolveConfigs, at('whole.yaml')));
});

describe('flags', () => {
  test('say what a file says', () => {
    const { folder, at } = evolutionFolder({ 'whole.yaml': SAME_FILE });
    const byFlags = loadConfig(evolveConfigs, null, { flags: EVERY_FLAG, workingFolder: folder });
    expect(byFlags).toEqual(loadConfig(evolveConfigs, at('whole.yaml')));
    expect(Object.keys(evolveConfigs.flags)).toEqual([
      ...Object.keys(EVERY_FLAG).slice(0, 5),
      'model',
      'model_role',
      ...Object.keys(EVERY_FLAG).slice(5),
      'fork',
      'at_iteration',
    ]);
  });

  const THE_LEAST = {
    name: 'least',
    scaffolder_model: 'simulated/x',
    task_prompt: 'Make 24 of the numbers.',
    train_data: 'train.jsonl',
    valid_data: 'valid.jsonl',
    domain: 'game24',
  };

  test('leave a scaffolder room for a program and the thoughts before it', () => {
    const { folder } = evolutionFolder();
    const flags = { ...THE_LEAST, scaffolder_model: 'gemini/gemini-2.5-pro', executor_model: 'gemini/x' };
    const { models } = loadConfig(evolveConfigs, null, { flags, workingFolder: folder });
    expect(models.scaffolder).toMatchObject({ max_output_tokens: 16_384, timeout_sec: 600, max_attempts: 8 });
    expect(models.executor).toMatchObject({ max_output_tokens: 4096, timeout_sec: 120 });
    const asked = loadConfig(evolveConfigs, null, {
      flags,
      overrides: ['models.scaffolder.max_output_tokens=100'],
      workingFolder: folder,
    });
    expect(asked.models.scaffolder.max_output_tokens).toBe(100);
  });

  test('have the specified defaults', () => {
    const { folder, at } = evolutionFolder();
    const config = loadConfig(evolveConfigs, null, { flags: THE_LEAST, workingFolder: folder });
    expect(config).toMatchObject({
      name: 'least',
      task_prompt: 'Make 24 of the numbers.\n',
      data: { train: at('train.jsonl'), valid: at('valid.jsonl'), test: null },
      evolution: {
        num_iterations: 5,
        scaffolds_per_iter: 3,
        initial_scaffolds: 5,
        num_validation_examples: 10,
      },
      selection: { type: 'top_k' },
      models: { executor: null },
      timeout_sec: 120,
      seed: 0,
      output: { results_dir: at('experiments') },
    });
  });

  test.each([
    ['name', 'name: is missing (on the command line: --experiment-name)', 'name'],
    [
      'scaffolder_model',
      'models.scaffolder: is missing; it must be a mapping (on the command line: --model and --scaffolder-model)',
      'models.scaffolder',
    ],
    [
      'task_prompt',
      'task_prompt: is missing; it must be a string (on the command line: --task-prompt)',
      'task_prompt',
    ],
    ['domain', 'domain: is missing; it must be a mapping (on the command line: --domain)', 'domain'],
    ['train_data', '--train-data', 'data.train'],
    ['valid_data', '--valid-data', 'data.valid'],
  ])('without %s, which has no default, are refused: %s', (missing, message, field) => {
    const { folder } = evolutionFolder();
    const flags = Object.fromEntries(Object.entries(THE_LEAST).filter(([name]) => name !== missing));
    const error = refusal(() => loadConfig(evolveConfigs, null, { flags, workingFolder: folder }));
    expect(error.message).toMatch(/^the command line: /);
    expect(error.message).toContain(message);
    expect(error.field).toBe(field);
  });

  test('beside a file override what it says, and leave the rest', () => {
    const { folder, at } = evolutionFolder({ 'whole.yaml': SAME_FILE });
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere', 'other.jsonl'), '');
    const config = loadConfig(evolveConfigs, at('whole.yaml'), {
      flags: { num_iterations: '8', train_data: 'other.jsonl', results_dir: 'here' },
      workingFolder: join(folder, 'elsewhere'),
    });
    const whole = loadConfig(evolveConfigs, at('whole.yaml'));
    expect(config).toEqual({
      ...whole,
      evolution: { ...whole.evolution, num_iterations: 8 },
      data: { ...whole.data, train: join(folder, 'elsewhere', 'other.jsonl') },
      output: { ...whole.output, results_dir: join(folder, 'elsewhere', 'here') },
    });
  });

  test('give another model to a section and keep how it is asked', () => {
    const before = {
      provider: 'scripted',
      model: 'x',
      script: import.meta.filename,
      temperature: 1,
      timeout_sec: 5,
    };
    const { models, scaffolder } = evolveConfigWith(
      { models: { scaffolder: before }, scaffolder: { num_examples: 4 } },
      { flags: { scaffolder_model: 'gemini/gemini-2.5-pro' } },
    );
    expect(scaffolder.num_examples).toBe(4);
    expect(models.scaffolder).toMatchObject({ provider: 'gemini', temperature: 1, timeout_sec: 5 });
    expect(models.scaffolder.script).toBeUndefined();
  });

  test('keep the address of a server for another model of the same provider', () => {
    const lm = { model: 'openai/small', base_url: 'http://127.0.0.1:8000/v1' };
    const { models } = evolveConfigWith(
      { models: { executor: lm } },
      { flags: { executor_model: 'openai/large' } },
    );
    expect(models.executor).toMatchObject({ model: 'large', base_url: lm.base_url });
  });

  test('keep further fields and headers for a server of the same provider alone, and all options', () => {
    const lm = {
      model: 'openai/small',
      top_p: 1,
      extra_body: { min_p: 0.1 },
      extra_headers: { 'X-Title': 'x' },
    };
    const named = (executor_model: string) =>
      evolveConfigWith({ models: { executor: lm } }, { flags: { executor_model } }).models.executor;
    expect(named('openai/large')).toMatchObject({ ...lm, model: 'large' });
    expect(named('gemini/other')).toMatchObject({ model: 'other', top_p: 1 });
    expect(named('gemini/other')).not.toHaveProperty('extra_body');
    expect(named('gemini/other')).not.toHaveProperty('extra_headers');
  });

  test('executor_model none takes the model away', () => {
    const models = { executor: { provider: 'simulated' } };
    expect(evolveConfigWith({ models }, { flags: { executor_model: 'none' } }).models.executor).toBeNull();
  });

  test('name files in the place of generated examples', () => {
    const { at } = evolutionFolder();
    const flags = { train_data: at('train.jsonl'), valid_data: at('valid.jsonl') };
    expect(evolveConfigWith({}, { flags }).data).toEqual({
      train: at('train.jsonl'),
      valid: at('valid.jsonl'),
      test: null,
    });
  });

  test('a domain said once more keeps its options; another one has none', () => {
    const domain = { name: 'crosswords', options: { mode: 'lenient' } };
    const withDomain = (name: string) => evolveConfigWith({ domain }, { flags: { domain: name } }).domain;
    expect(withDomain('crosswords')).toEqual(domain);
    expect(withDomain('game24')).toEqual({ name: 'game24', options: {} });
  });

  test('a file as the domain is a custom one', () => {
    const { folder, at } = evolutionFolder();
    const config = evolveConfigWith({}, { flags: { domain: 'score.ts' }, workingFolder: folder });
    expect(config.domain).toEqual({ name: 'custom', options: {}, file: at('score.ts') });
  });
});

describe('--set', () => {
  test.each<[string, Record<string, unknown>]>([
    ['evolution.num_iterations=8', { evolution: { num_iterations: 8 } }],
    ['num_iterations=8', { evolution: { num_iterations: 8 } }],
    ['scaffolder_model=gemini/gemini-2.5-pro', { models: { scaffolder: { provider: 'gemini' } } }],
    ['executor_model=none', { models: { executor: null } }],
    ['lm.temperature=1', { models: { scaffolder: { temperature: 1 } } }],
    ['experiment_name=other', { name: 'other' }],
    ['results_dir=there', { output: { results_dir: '/work/there' } }],
    ['selection.type=islands', { selection: { type: 'islands', islands: 4 } }],
    ['selection=pareto', { selection: { type: 'pareto' } }],
    ['sandbox=process', { sandbox: { type: 'process' } }],
    ['domain={name: crosswords, options: {mode: lenient}}', { domain: { options: { mode: 'lenient' } } }],
    ['scaffolder.feedback={}', { scaffolder: { feedback: { num_examples: 5 } } }],
    ['task_prompt=Solve it.', { task_prompt: 'Solve it.\n' }],
  ])('%s', (assignment, expected) => {
    expect(evolveConfigWith({}, { overrides: [assignment] })).toMatchObject(expected);
  });

  test('comes after the flags, the last one counts', () => {
    const options = { flags: { seed: '1' }, overrides: ['seed=2', 'seed=3'] };
    expect(evolveConfigWith({}, options).seed).toBe(3);
  });
});

describe('a section in a word', () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ domain: 'crosswords' }, { domain: { name: 'crosswords' } }],
    [{ selection: 'islands' }, { selection: { type: 'islands' } }],
    [{ sandbox: 'process' }, { sandbox: { type: 'process' } }],
    [{ models: { executor: 'none' } }, { models: { executor: null } }],
    [{ models: { executor: 'gemini/gemini-2.5-flash' } }, { models: { executor: { provider: 'gemini' } } }],
    [
      { models: { scaffolder: 'openai/gpt-4.1' } },
      { models: { scaffolder: { provider: 'openai', model: 'gpt-4.1' } } },
    ],
  ])('%j', (sections, expected) => {
    expect(evolveConfigWith(sections)).toMatchObject(expected);
  });
});

describe('the task prompt', () => {
  const { at } = { at: (folder: string, name: string) => join(folder, name) };
  test.each([
    ['a text', 'Make 24 of the numbers.', 'Make 24 of the numbers.\n'],
    ['several lines', 'First.\nSecond.md', 'First.\nSecond.md\n'],
    ['the name of a file', 'task.md', 'From the file.\n'],
    ['the name of a file with a space', 'my task', 'Another file.\n'],
  ])('may be %s', (_what, given, expected) => {
    const { folder } = evolutionFolder({ 'task.md': 'From the file.', 'my task': 'Another file.' });
    const source = { source: 'x', folder, fallbackName: 'x' };
    expect(
      resolveConfig(evolveConfigs, { ...MINIMAL_EVOLUTION, task_prompt: given }, source).task_prompt,
    ).toBe(expected);
  });

  test.each([
    ['no-such-file', 'there is no file at'],
    ['my prompt.txt', 'there is no file at'],
    ['s3://bucket/prompt.txt', 'a prompt is a text, or a file of this machine'],
    ['empty.md', 'empty.md is empty'],
    ['   ', 'the text is empty'],
    ['.', 'cannot be read'],
  ])('%j is refused: %s', (given, message) => {
    const { folder } = evolutionFolder({ 'empty.md': ' \n' });
    const source = { source: 'x', folder, fallbackName: 'x' };
    const error = refusal(() =>
      resolveConfig(evolveConfigs, { ...MINIMAL_EVOLUTION, task_prompt: given }, source),
    );
    expect(error.field).toBe('task_prompt');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(at(folder, 'task.md'));
  });
});

describe('paths', () => {
  test('are resolved against the YAML’s folder, wherever the command runs', () => {
    const { folder, at } = evolutionFolder();
    mkdirSync(join(folder, 'configs'));
    writeFileSync(
      at('configs/evolve.yaml'),
      `
task_prompt: ../task.md
domain: ../score.ts
data: { train: ../train.jsonl, valid: file://${at('valid.jsonl')}, test: s3://bucket/test.jsonl }
models: { scaffolder: { provider: scripted, script: ../script.yaml }, executor: { provider: replay, recording: ../script.yaml } }
`,
    );
    const config = loadConfig(evolveConfigs, 'configs/evolve.yaml', { workingFolder: folder });
    expect(config).toMatchObject({
      name: 'evolve',
      task_prompt: 'Make 24.\n',
      domain: { name: 'custom', file: at('score.ts') },
      data: { train: at('train.jsonl'), valid: at('valid.jsonl'), test: 's3://bucket/test.jsonl' },
      models: { scaffolder: { script: at('script.yaml') }, executor: { recording: at('script.yaml') } },
      output: { results_dir: at('experiments') },
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['data.train', { data: { train: 'no.jsonl', valid: 'no.jsonl' } }],
    ['domain.file', { domain: { name: 'custom', file: 'no.ts' } }],
    ['models.scaffolder.script', { models: { scaffolder: { provider: 'scripted', script: 'no.yaml' } } }],
    ['models.executor.recording', { models: { executor: { provider: 'replay', recording: 'no.jsonl' } } }],
  ])('a missing %s is named with the place that was looked at', (field, sections) => {
    const error = refusal(() => evolveConfigWith(sections));
    expect(error.field).toBe(field);
    expect(error.message).toMatch(new RegExp(`^evolve.yaml: ${field}: there is no file at /configs/no\\.`));
  });
});
