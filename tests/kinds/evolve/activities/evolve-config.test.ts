import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkModels } from '../../../../src/activities/check-model.js';
import { configOf, readConfig } from '../../../../src/config/load.js';
import { evolveConfigs } from '../../../../src/kinds/evolve/config.js';
import { forkOf } from '../../../../src/kinds/evolve/fork.js';
import type { EvolveConfig } from '../../../../src/kinds/evolve/schema.js';
import { openStore } from '../../../../src/storage/open.js';
import { evolutionFolder, evolveConfigWith, MINIMAL_EVOLUTION } from '../../../config/evolve-support.js';

/** The config that an input means, and what it is a fork of. */
async function asked(input: unknown) {
  const config = await configOf(evolveConfigs, input, 'by-id');
  return { config, fork: await forkOf(openStore, config) };
}

/** A results folder with an experiment that has finished the iterations 0 and 1. */
async function withExperiment(config?: EvolveConfig) {
  const { folder, at } = evolutionFolder({ 'evolve.yaml': stringify(MINIMAL_EVOLUTION) });
  const results = openStore(at('experiments'));
  const store = results.within('evolve_20250101_000000');
  const stored = config ?? evolveConfigWith({ output: { results_dir: '/gone' } });
  await store.write('config.yaml', stringify(stored));
  await store.write('data/train.jsonl', '{"id":"a","input":"1 2 3 4"}\n');
  await store.write('data/valid.jsonl', '{"id":"b","input":"1 2 3 4"}\n');
  for (const finished of [0, 1]) {
    await store.write(`state/${finished}.json`, JSON.stringify({ next_iteration: finished + 1, nodes: [] }));
  }
  return { folder, at, store, stored };
}

describe('the input of the workflow', () => {
  test('may be a config’s path with what changes it', async () => {
    const { at } = await withExperiment();
    const input = {
      config_path: at('evolve.yaml'),
      set: ['num_iterations=8'],
      name: 'mine',
      results_dir: at('experiments'),
      fork: { experiment: 'evolve_20250101_000000', at_iteration: 0 },
    };
    const { config, fork } = await asked(input);
    expect(config).toMatchObject({ name: 'mine', evolution: { num_iterations: 8 } });
    expect(fork).toMatchObject({
      at_iteration: 0,
      store: { uri: openStore(at('experiments/evolve_20250101_000000')).uri },
    });
  });

  test('may be the config itself, named by the workflow where it has no name', async () => {
    const { config, fork } = await asked(MINIMAL_EVOLUTION);
    expect({ name: config.name, fork }).toEqual({ name: 'by-id', fork: null });
  });

  test('may be a fork alone, which takes over the config of its experiment', async () => {
    const { store, stored } = await withExperiment();
    const input = {
      fork: { experiment: store.uri, at_iteration: 0 },
      set: ['seed=4'],
      results_dir: '/elsewhere',
    };
    const { config, fork } = await asked(input);
    expect(config).toMatchObject({
      ...stored,
      seed: 4,
      fork: { experiment: fileURLToPath(store.uri), at_iteration: 0 },
      output: { ...stored.output, results_dir: '/elsewhere' },
    });
    expect(fork?.store.uri).toBe(store.uri);
  });

  test.each<[unknown, string, string]>([
    [
      { config_path: 'x.yaml', seed: 3 },
      'seed',
      'unknown field beside config_path (allowed: set, name, results_dir, fork)',
    ],
    [{ ...MINIMAL_EVOLUTION, fork: 'x' }, 'fork', 'fork: must be a mapping, not "x"'],
    [{ ...MINIMAL_EVOLUTION, fork: { experiment: 'x' } }, 'fork.at_iteration', 'is missing'],
    [{ fork: { experiment: 'x' } }, 'fork.at_iteration', 'an iteration that x has finished'],
    [{ fork: { at_iteration: 2 } }, 'fork.experiment', '--fork names the experiment'],
    [{ fork: { experiment: '/', at_iteration: 2 } }, 'fork.experiment', 'name the experiment to begin from'],
    [
      { fork: { experiment: 'x', at_iteration: 0 }, results_dir: '/nowhere' },
      'fork',
      "there is no experiment 'x' in /nowhere",
    ],
  ])('%j is refused by its field %j: %s', async (input, field, message) => {
    const error = await asked(input).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field });
    expect((error as Error).message).toContain(message);
  });
});

describe('a fork that would be scored in another way', () => {
  test.each<[string, (store: string) => unknown]>([
    [
      'by what changes its config',
      (experiment) => ({ set: ['domain.options.lenient=true'], fork: { experiment, at_iteration: 0 } }),
    ],
    [
      'by a config beside it',
      (experiment) => ({ ...MINIMAL_EVOLUTION, domain: 'numeric', fork: { experiment, at_iteration: 0 } }),
    ],
  ])('%s is refused', async (_how, input) => {
    const { store, stored } = await withExperiment();
    expect(stored.domain.name).toBe('game24');
    const error = await asked(input(store.uri)).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field: expect.stringMatching(/^domain\./) });
    expect((error as Error).message).toContain('continues from the scores of its experiment');
  });
});

describe('a fork that would select in another way', () => {
  const islands = { type: 'islands', islands: 2 };
  const forked = async (sections: Record<string, unknown>, set: string[], at_iteration: number) => {
    const { store } = await withExperiment(evolveConfigWith(sections));
    return asked({ set, fork: { experiment: store.uri, at_iteration } });
  };

  test.each<[string, Record<string, unknown>, string[], string]>([
    ['of another kind', {}, ['selection=pareto'], 'selection.type'],
    ['with other settings', { selection: islands }, ['selection.islands=3'], 'selection.islands'],
    ['with another seed, where that draws', { selection: islands }, ['seed=9'], 'seed'],
    ['with another seed, where that draws', { selection: 'pareto' }, ['seed=9'], 'seed'],
  ])('%s is refused once there is a selection', async (_how, sections, set, field) => {
    const error = await forked(sections, set, 1).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field });
    expect((error as Error).message).toContain('continues with the selection of its experiment');
    await expect(forked(sections, set, 0)).resolves.toMatchObject({ fork: { at_iteration: 0 } });
  });

  test('may have another seed where the best are selected', async () => {
    expect(await forked({}, ['seed=9'], 1)).toMatchObject({ config: { seed: 9 } });
  });
});

describe('the config of a fork without a file', () => {
  const read = async (folder: string, more: Record<string, unknown> = {}, overrides: string[] = []) => {
    const flags = { fork: 'evolve_20250101_000000', at_iteration: '0', ...more };
    const config = await readConfig(evolveConfigs, null, { flags, overrides, workingFolder: folder });
    return { config, fork: await forkOf(openStore, config) };
  };

  test('reads the experiment’s own copies of files that may be gone', async () => {
    const files = evolutionFolder();
    const config = evolveConfigWith({
      data: { train: files.at('train.jsonl'), valid: files.at('valid.jsonl') },
    });
    const { folder, at, store } = await withExperiment(config);
    const forked = await read(folder);
    const origin = join(at('experiments'), 'evolve_20250101_000000');
    expect(forked.config).toEqual({
      ...config,
      data: {
        train: join(origin, 'data/train.jsonl'),
        valid: join(origin, 'data/valid.jsonl'),
        test: null,
      },
      fork: { experiment: origin, at_iteration: 0 },
      output: { ...config.output, results_dir: at('experiments') },
    });
    expect(forked.fork?.store.uri).toBe(store.uri);
  });

  test('is changed by flags and --set, which may give it other examples', async () => {
    const { folder, at } = await withExperiment();
    const flags = { train_data: 'train.jsonl', valid_data: 'valid.jsonl', name: 'forked' };
    const forked = await read(folder, flags, ['scaffolder_model=openai/gpt-4.1', 'num_iterations=9']);
    expect(forked.config).toMatchObject({
      name: 'forked',
      data: { train: at('train.jsonl'), valid: at('valid.jsonl') },
      models: { scaffolder: { provider: 'openai', model: 'gpt-4.1' } },
      evolution: { num_iterations: 9 },
      output: { results_dir: at('experiments') },
    });
  });

  test('is looked for where the flags say, or at its own place', async () => {
    const { folder, at } = await withExperiment();
    const { config } = await read(folder, { results_dir: 'experiments' });
    expect(config.output.results_dir).toBe(at('experiments'));
    await expect(read(folder, { results_dir: 'other' })).rejects.toThrow(
      `there is no experiment 'evolve_20250101_000000' in ${at('other')}`,
    );
    for (const place of ['experiments/evolve_20250101_000000', at('experiments/evolve_20250101_000000/')]) {
      const { fork } = await read(folder, { results_dir: 'other', fork: place });
      expect(fork?.store.uri).toBe(openStore(at('experiments/evolve_20250101_000000')).uri);
    }
  });
});

describe('both models are checked without a call', () => {
  const check = (sections: Record<string, unknown>, environment: Record<string, string> = {}) => {
    const config = evolveConfigWith(sections);
    return checkModels(evolveConfigs.modelsOf(config), config.limits, environment);
  };
  const lm = { provider: 'simulated' };
  const limits = { max_cost_usd: 1 };

  test.each<[Record<string, unknown>, string, string]>([
    [{ models: { scaffolder: 'gemini/gemini-2.5-pro' } }, 'models.scaffolder.model', 'set GEMINI_API_KEY'],
    [{ models: { executor: 'openai/gpt-4.1' } }, 'models.executor.model', 'set OPENAI_API_KEY'],
    [
      { models: { scaffolder: { provider: 'scripted', script: import.meta.filename } } },
      'models.scaffolder.script',
      'script',
    ],
    [
      { models: { executor: { model: 'openai/own', base_url: 'http://127.0.0.1:1/v1' } }, limits },
      'limits.max_cost_usd',
      'the price of openai/own is not known',
    ],
  ])('%j is refused by its field %s: %s', async (sections, field, message) => {
    const error = await check(sections).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field });
    expect((error as Error).message).toContain(message);
  });

  test('with their keys, or without the need of any, they pass', async () => {
    await expect(check({ models: { scaffolder: lm, executor: null }, limits })).resolves.toBeUndefined();
    const both = {
      models: { scaffolder: 'gemini/gemini-2.5-pro', executor: 'gemini/gemini-2.5-flash' },
      limits,
    };
    await expect(check(both, { GEMINI_API_KEY: 'x' })).resolves.toBeUndefined();
  });
});
