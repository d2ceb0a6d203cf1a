import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, resolveConfig } from '../../src/config/load.js';
import { firstDifference } from '../../src/config/pacing.js';
import { ownKindConfigs } from '../../src/kinds/own-kind/config.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { configOf, folderWith, refusal } from '../support/configs.js';
import { LEAST } from '../support/kinds.js';
import { yamlBomb } from '../support/yaml-bomb.js';

const YAML = `
dataset:
  items: [{ question: q, answer: a }]
lm: { provider: simulated }
`;

describe('the file', () => {
  test('names the run where the config does not', () => {
    const folder = folderWith({ 'first-try.yaml': YAML, 'second.yml': `name: given\n${YAML}` });
    expect(loadConfig(runConfigs, join(folder, 'first-try.yaml')).name).toBe('first-try');
    expect(loadConfig(runConfigs, join(folder, 'second.yml')).name).toBe('given');
    expect(loadConfig(runConfigs, join(folder, 'second.yml'), { flags: { name: 'from outside' } }).name).toBe(
      'from outside',
    );
  });

  test('that leaves no name for a folder is refused before anything is started', () => {
    const folder = folderWith({ '….yaml': YAML, 'named.yaml': `name: …\n${YAML}` });
    for (const file of ['….yaml', 'named.yaml']) {
      const { message, field } = refusal(() => loadConfig(runConfigs, join(folder, file)));
      expect(field).toBe('name');
      expect(message).toMatch(new RegExp(`${file}: name: "…" leaves nothing .* one letter or digit`));
    }
    expect(loadConfig(runConfigs, join(folder, '….yaml'), { flags: { name: 'dots' } }).name).toBe('dots');
  });

  test('may be JSON, and its path relative to the working folder', () => {
    const folder = folderWith({ 'a.json': JSON.stringify({ seed: 9, ...configInput }) });
    expect(loadConfig(runConfigs, 'a.json', { workingFolder: folder })).toMatchObject({ name: 'a', seed: 9 });
  });

  test.each([
    ['nothing', 'a config is a mapping with the sections', ''],
    ['a list', 'this holds a list', '- 1\n- 2\n'],
    ['a text', 'this holds a string', 'hello\n'],
    ['broken YAML', 'is not valid YAML', 'name: [unclosed\n'],
    ['a key twice', 'is not valid YAML', 'seed: 1\nseed: 2\n'],
    ['aliases that grow without end', 'is not valid YAML', yamlBomb()],
    [
      'several documents',
      'several documents, of which line 2 (---) begins another',
      'seed: 1\n---\nseed: 2\n',
    ],
    ['an alias of itself', 'is not valid YAML', 'dataset: &d { items: [*d] }\n'],
  ])('that holds %s is refused: %s', (_what, message, content) => {
    const path = join(folderWith({ 'bad.yaml': content }), 'bad.yaml');
    const error = refusal(() => loadConfig(runConfigs, path));
    expect(error.message).toContain(message);
    expect(error.message).toContain(path);
  });

  test('that is not there, or is a folder, is named', () => {
    const folder = folderWith();
    expect(refusal(() => loadConfig(runConfigs, join(folder, 'no.yaml'))).message).toMatch(
      /no\.yaml: there is no such file/,
    );
    expect(refusal(() => loadConfig(runConfigs, folder)).message).toContain('this is a folder');
  });
});

const configInput = { dataset: { items: [{ question: 'q', answer: 'a' }] }, lm: { provider: 'simulated' } };

describe('--limit and --sample-id', () => {
  const select = { random: 5 };
  test('say the first samples, and which ones in place of dataset.select', () => {
    const dataset = { ...configInput.dataset, select };
    expect(configOf({ dataset }, { flags: { limit: '3' } })).toMatchObject({
      runtime: { max_envs_to_visit: 3, memory_scope: 'sample' },
      dataset: { select },
    });
    const { dataset: named } = configOf({ dataset }, { flags: { sample_id: ['a, b', '007'] } });
    expect(named.select).toEqual({ ids: ['a', 'b', '007'] });
    expect(firstDifference(runConfigs, configOf({ dataset }), configOf({ dataset: named }))).toMatch(
      /^dataset\.select\./,
    );
  });

  test('mean the same for a kind of one’s own', () => {
    const source = { source: 'it', folder: '/configs', fallbackName: 'it', workingFolder: '/work' };
    const flags = { limit: '3', sample_id: ['1'] };
    expect(resolveConfig(ownKindConfigs, LEAST['own-kind'], { ...source, flags })).toMatchObject({
      max_samples: 3,
      dataset: { select: { ids: ['1'] } },
    });
  });

  test.each([
    [{ limit: '0' }, 'runtime.max_envs_to_visit: must be more than 0, not 0'],
    [{ limit: '1-5' }, 'runtime.max_envs_to_visit: must be a number, not "1-5"'],
    [{ sample_id: ['a,,b'] }, 'dataset.select.ids[1]: must have at least 1 character, not ""'],
  ])('%j is refused', (flags, message) => {
    expect(refusal(() => configOf({}, { flags })).message).toBe(`run.yaml: ${message}`);
  });
});

describe('dataset.select', () => {
  const selectOf = (select: unknown) =>
    configOf({ dataset: { ...configInput.dataset, select } }).dataset.select;

  test('stays as it is written, ids as texts', () => {
    expect(selectOf(null)).toBeUndefined();
    expect(selectOf({ ids: [3, 'x'], range: '2-' })).toEqual({ ids: ['3', 'x'], range: '2-' });
    for (const not_empty of ['a.b', ['a', 'b']]) expect(selectOf({ not_empty })).toEqual({ not_empty });
    const path = join(folderWith({ 'it.yaml': `${YAML}` }), 'it.yaml');
    writeFileSync(path, YAML.replace('\nlm', '\n  select: { ids: [007, 1.10], where: { level: 5.0 } }\nlm'));
    expect(loadConfig(runConfigs, path).dataset.select).toEqual({
      ids: ['007', '1.10'],
      where: { level: 5 },
    });
    const overrides = ['dataset.select.ids=[007]'];
    expect(loadConfig(runConfigs, path, { overrides }).dataset.select?.ids).toEqual(['007']);
  });

  test.each([
    [{ range: '10-1' }, 'dataset.select.range: must be rows such as 11-20 or 101-, counted from 1'],
    [{ range: 5 }, 'dataset.select.range: must be a string, not 5'],
    [{ ids: [] }, 'dataset.select.ids: must have at least 1 entry'],
    [{ random: 0.5 }, 'dataset.select.random: must be a whole number, not 0.5'],
    [{ where: { level: [] } }, 'dataset.select.where.level: must have at least 1 entry'],
    [{ not_empty: [] }, 'dataset.select.not_empty: must have at least 1 entry'],
    [{ idds: ['a'] }, "dataset.select.idds: unknown field 'idds', did you mean 'ids'?"],
  ])('%j is refused', (select, message) => {
    expect(refusal(() => selectOf(select)).message).toContain(message);
  });
});

describe('dataset.few_shot', () => {
  const fewShotOf = (few_shot: unknown) =>
    configOf({ dataset: { ...configInput.dataset, few_shot } }).dataset.few_shot;

  test('has inline rows as they are written, and a file beside the YAML', () => {
    const folder = folderWith({ 'train.jsonl': '', 'it.yaml': '' });
    const path = join(folder, 'it.yaml');
    const withExamples = (few_shot: string) => {
      writeFileSync(path, YAML.replace('\nlm', `\n  few_shot: ${few_shot}\nlm`));
      return loadConfig(runConfigs, path).dataset.few_shot;
    };
    expect(withExamples('{ items: [{ question: 1.10, answer: 007 }] }')).toEqual({
      items: [{ question: '1.10', answer: '007' }],
    });
    expect(withExamples('{ dataset_path: train.jsonl, count: 3 }')).toEqual({
      dataset_path: join(folder, 'train.jsonl'),
      count: 3,
    });
    expect(refusal(() => withExamples('{ dataset_path: nope.jsonl }')).message).toMatch(
      /dataset\.few_shot\.dataset_path: there is no file at .*nope\.jsonl/,
    );
  });

  test.each([
    [{}, 'dataset.few_shot.count: is missing; say how many of the dataset’s own rows'],
    [{ count: 0 }, 'dataset.few_shot.count: must be more than 0'],
    [{ count: 101 }, 'dataset.few_shot.count: must be at most 100'],
    [{ split: 'train', dataset_path: 'x' }, 'dataset.few_shot: give one of dataset_path and split'],
    [{ count: 3, file: 'x' }, "dataset.few_shot.file: unknown field 'file'"],
  ])('%j is refused', (few_shot, message) => {
    expect(refusal(() => fewShotOf(few_shot)).message).toContain(message);
  });
});

describe('models.embeddings', () => {
  const embeddings = { model: 'mistral/mistral-embed', dimensions: 256 };
  const memory = { retrieval: { backend: 'embedding' } };
  const agent = { type: 'dynamic_cheatsheet_agent', mode: 'retrieval_synthesis' };

  test('makes the vectors of a memory and of scorers that name no model of their own', () => {
    const scorers = { near: { type: 'similarity' }, own: { type: 'similarity', model: 'openai/x' } };
    const config = configOf({ models: { embeddings }, memory, agent, scorers });
    expect(config.memory).toMatchObject({ retrieval: embeddings });
    expect(config.scorers.near).toMatchObject(embeddings);
    expect(config.scorers.own).not.toHaveProperty('dimensions');
    // What a run writes down is read again as it is.
    expect(configOf(config as unknown as Record<string, unknown>)).toEqual(config);
  });

  test('may be a name, also on the command line', () => {
    const named = configOf({ models: { embeddings: 'gemini/e' }, scorers: ['similarity'] });
    expect(named.scorers.similarity).toMatchObject({ model: 'gemini/e' });
    const flags = { model_role: ['embeddings=openai/other'] };
    const other = configOf({ models: { embeddings }, memory, agent }, { flags });
    expect(other.memory).toMatchObject({ retrieval: { model: 'openai/other', dimensions: 256 } });
  });
});

describe('paths', () => {
  test('are resolved against the YAML’s folder, wherever the command runs', () => {
    const folder = folderWith();
    mkdirSync(join(folder, 'configs'));
    mkdirSync(join(folder, 'data'));
    for (const name of ['rows.jsonl', 'env.ts', 'script.yaml', 'memory.json']) {
      writeFileSync(join(folder, 'data', name), '');
    }
    writeFileSync(
      join(folder, 'configs', 'run.yaml'),
      `
dataset: { dataset_path: ../data/rows.jsonl, env_class: Mine, env_file: ../data/env.ts }
lm: { provider: scripted, script: ${join(folder, 'data', 'script.yaml')} }
agent: { type: mine, file: ../data/env.ts }
output:
  results_dir: ../results
  load_memory_path: file://${join(folder, 'data', 'memory.json')}
  save_memory_path: later/memory.json
`,
    );
    const { dataset, lm, agent, output } = loadConfig(runConfigs, 'configs/run.yaml', {
      workingFolder: folder,
    });
    expect(dataset.dataset_path).toBe(join(folder, 'data/rows.jsonl'));
    expect(dataset.env_file).toBe(join(folder, 'data/env.ts'));
    expect(lm.script).toBe(join(folder, 'data/script.yaml'));
    expect(agent).toMatchObject({ file: join(folder, 'data/env.ts') });
    expect(output).toMatchObject({
      results_dir: join(folder, 'results'),
      load_memory_path: join(folder, 'data/memory.json'),
      save_memory_path: join(folder, 'configs/later/memory.json'),
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['dataset.dataset_path', { dataset: { dataset_path: 'no.jsonl' } }],
    ['dataset.env_file', { dataset: { items: [{}], env_class: 'Mine', env_file: 'no.ts' } }],
    ['lm.script', { lm: { provider: 'scripted', script: 'no.yaml' } }],
    ['lm.recording', { lm: { provider: 'replay', recording: 'no.jsonl' } }],
    ['agent.file', { agent: { type: 'mine', file: 'no.ts' } }],
    ['output.load_memory_path', { output: { load_memory_path: 'no.json' } }],
  ])('a missing %s is named with the place that was looked at', (field, sections) => {
    const error = refusal(() => configOf(sections));
    expect(error.field).toBe(field);
    expect(error.message).toMatch(new RegExp(`^run.yaml: ${field}: there is no file at /configs/no\\.`));
  });

  test('addresses of an object store are left alone', () => {
    const { lm, output } = configOf({
      lm: { provider: 'replay', recording: 's3://bucket/calls.jsonl' },
      output: { results_dir: 's3://bucket/results/', load_memory_path: 's3://bucket/memory.json' },
    });
    expect(lm.recording).toBe('s3://bucket/calls.jsonl');
    expect(output).toMatchObject({
      results_dir: 's3://bucket/results',
      load_memory_path: 's3://bucket/memory.json',
    });
  });

  test.each<[string, Record<string, unknown>, string | undefined, string]>([
    ['by default in the working folder', {}, undefined, '/work/results'],
    ['from the config: by its folder', { results_dir: 'out' }, undefined, '/configs/out'],
    ['from the command: by the working folder', { results_dir: 'out' }, 'mine', '/work/mine'],
    ['from the command without a config’s', {}, '../mine', '/mine'],
    ['from the command, in an object store', { results_dir: 'out' }, 's3://bucket/a', 's3://bucket/a'],
  ])('results_dir %s', (_name, output, resultsDir, expected) => {
    const options = resultsDir === undefined ? {} : { flags: { results_dir: resultsDir } };
    expect(configOf({ output }, options).output.results_dir).toBe(expected);
  });
});

describe('--set', () => {
  test.each<[string[], Record<string, unknown>]>([
    [['runtime.num_trials=3'], { runtime: { num_trials: 3 } }],
    [['runtime.num_trials=3', 'runtime.num_trials=4'], { runtime: { num_trials: 4 } }],
    [['runtime.early_stop_on_success=true'], { runtime: { early_stop_on_success: true } }],
    [['limits.max_cost_usd=null'], { limits: { max_cost_usd: null } }],
    [['name=a=b'], { name: 'a=b' }],
    [['agent={type: reflexion_agent, history_k: 0}'], { agent: { type: 'reflexion_agent', history_k: 0 } }],
    [['dataset.meta_fields=[x, y]'], { dataset: { meta_fields: ['x', 'y'] } }],
    [['dataset.prompt_template='], { dataset: { prompt_template: '' } }],
    [['dataset.items.0.answer=changed'], { dataset: { items: [{ question: 'q', answer: 'changed' }] } }],
    [['agent.system_prompt={unclosed'], { agent: { system_prompt: '{unclosed' } }],
  ])('%j', (overrides, expected) => {
    expect(configOf({}, { overrides })).toMatchObject(expected);
  });

  test('overrides what the file says, and leaves the rest of its section', () => {
    const runtime = { num_trials: 2, concurrency: 5 };
    expect(configOf({ runtime }, { overrides: ['runtime.num_trials=7'] }).runtime).toMatchObject({
      num_trials: 7,
      concurrency: 5,
    });
  });

  test.each([
    ['runtime.num_trials', 'write it as section.field=value'],
    ['=3', 'write it as section.field=value'],
    ['runtime..num_trials=3', 'write it as section.field=value'],
    ['__proto__.polluted=1', 'write it as section.field=value'],
    ['runtime.constructor.x=1', 'write it as section.field=value'],
    ['seed.deep=1', "'seed' is not a section of the config"],
    ['runtime.num_trials=many', 'runtime.num_trials: must be a number, not "many"'],
    ['runtime.trials=3', "unknown field 'trials'"],
    ['agent=history_agent', 'agent: must be a mapping'],
  ])('%s is refused: %s', (assignment, message) => {
    expect(refusal(() => configOf({ seed: 1 }, { overrides: [assignment] })).message).toContain(message);
    expect({}).not.toHaveProperty('polluted');
  });

  test('the given object is not changed', () => {
    const sections = { runtime: { num_trials: 2 } };
    configOf(sections, { overrides: ['runtime.num_trials=7'] });
    expect(sections).toEqual({ runtime: { num_trials: 2 } });
  });
});
