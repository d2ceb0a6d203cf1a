import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  checkEvolveModels,
  evolveConfigOf,
  evolveInputOf,
  readEvolveConfig,
} from '../../src/activities/evolve/evolve-config.js';
import type { EvolveConfig } from '../../src/config/evolve-schema.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { evolutionFolder, evolveConfigWith, MINIMAL_EVOLUTION } from '../config/evolve-support.js';

const open = (address: string): ArtifactStore => openStore(address);

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
    const { config, fork } = await evolveConfigOf(input, 'id', open);
    expect(config).toMatchObject({ name: 'mine', evolution: { num_iterations: 8 } });
    expect(fork).toMatchObject({
      at_iteration: 0,
      store: { uri: openStore(at('experiments/evolve_20250101_000000')).uri },
    });
  });

  test('may be the config itself, named by the workflow where it has no name', async () => {
    const { config, fork } = await evolveConfigOf(MINIMAL_EVOLUTION, 'by-id', open);
    expect({ name: config.name, fork }).toEqual({ name: 'by-id', fork: null });
  });

  test('may be a fork alone, which takes over the config of its experiment', async () => {
    const { store, stored } = await withExperiment();
    const input = {
      fork: { experiment: store.uri, at_iteration: 0 },
      set: ['seed=4'],
      results_dir: '/elsewhere',
    };
    const { config, fork } = await evolveConfigOf(input, 'id', open);
    expect(config).toEqual({ ...stored, seed: 4, output: { ...stored.output, results_dir: '/elsewhere' } });
    expect(fork?.store.uri).toBe(store.uri);
  });

  test('that the command hands over means the same to any worker', async () => {
    const { store } = await withExperiment();
    const asked = await evolveConfigOf({ fork: { experiment: store.uri, at_iteration: 0 } }, 'id', open);
    const again = await evolveConfigOf(evolveInputOf(asked), 'another-id', open);
    expect(again.config).toEqual(asked.config);
    expect(again.fork).toMatchObject({ at_iteration: 0, store: { uri: store.uri } });
    const plain = await evolveConfigOf(MINIMAL_EVOLUTION, 'id', open);
    expect(await evolveConfigOf(evolveInputOf(plain), 'other', open)).toEqual(plain);
  });

  test.each<[unknown, string, string]>([
    [null, '', 'the input of evolve is'],
    [[MINIMAL_EVOLUTION], '', 'the input of evolve is'],
    ['evolve.yaml', '', 'the input of evolve is'],
    [{ config_path: 'no-such.yaml' }, '', 'there is no such file'],
    [
      { config_path: 'x.yaml', seed: 3 },
      'seed',
      'unknown field beside config_path (allowed: set, name, results_dir, fork)',
    ],
    [{ config_path: 'x.yaml', set: 'seed=3' }, 'set', 'is a list of texts'],
    [{ config_path: 'x.yaml', set: [3] }, 'set', 'is a list of texts'],
    [{ ...MINIMAL_EVOLUTION, fork: 'x' }, 'fork', 'fork: is {"experiment"'],
    [{ ...MINIMAL_EVOLUTION, fork: { experiment: 'x' } }, 'fork', 'fork: is {"experiment"'],
    [{ ...MINIMAL_EVOLUTION, seed: -1 }, 'seed', 'the input: seed: must be at least 0'],
    [
      { fork: { experiment: 'x', at_iteration: 0 }, results_dir: '/nowhere' },
      'fork',
      "there is no experiment 'x' in /nowhere",
    ],
    [{}, 'task_prompt', 'task_prompt: is missing'],
  ])('%j is refused by its field %j: %s', async (input, field, message) => {
    const error = await evolveConfigOf(input, 'id', open).catch((reason: Error) => reason);
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
    const error = await evolveConfigOf(input(store.uri), 'id', open).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field: expect.stringMatching(/^domain\./) });
    expect((error as Error).message).toContain('goes on from the scores of its experiment');
  });
});

describe('a fork that would select in another way', () => {
  const islands = { type: 'islands', islands: 2 };
  const asked = async (sections: Record<string, unknown>, set: string[], at_iteration: number) => {
    const { store } = await withExperiment(evolveConfigWith(sections));
    const fork = { experiment: store.uri, at_iteration };
    return evolveConfigOf({ set, fork }, 'id', open);
  };

  test.each<[string, Record<string, unknown>, string[], string]>([
    ['of another kind', {}, ['selection=pareto'], 'selection.type'],
    ['with other settings', { selection: islands }, ['selection.islands=3'], 'selection.islands'],
    ['with another seed, where that draws', { selection: islands }, ['seed=9'], 'seed'],
    ['with another seed, where that draws', { selection: 'pareto' }, ['seed=9'], 'seed'],
  ])('%s is refused once there is a selection', async (_how, sections, set, field) => {
    const error = await asked(sections, set, 1).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field });
    expect((error as Error).message).toContain('goes on with the selection of its experiment');
    await expect(asked(sections, set, 0)).resolves.toMatchObject({ fork: { at_iteration: 0 } });
  });

  test('may have another seed where the best are selected', async () => {
    expect(await asked({}, ['seed=9'], 1)).toMatchObject({ config: { seed: 9 } });
  });
});

describe('the config of a fork without a file', () => {
  test('reads the experiment’s own copies of files that may be gone', async () => {
    const files = evolutionFolder();
    const config = evolveConfigWith({
      data: { train: files.at('train.jsonl'), valid: files.at('valid.jsonl') },
    });
    const { folder, at, store } = await withExperiment(config);
    const fork = { experiment: 'evolve_20250101_000000', at_iteration: 0 };
    const asked = await readEvolveConfig(null, { fork, workingFolder: folder }, open);
    const own = join(at('experiments'), 'evolve_20250101_000000', 'data');
    expect(asked.config).toEqual({
      ...config,
      data: { train: join(own, 'train.jsonl'), valid: join(own, 'valid.jsonl'), test: null },
      output: { ...config.output, results_dir: at('experiments') },
    });
    expect(asked.fork?.store.uri).toBe(store.uri);
  });

  test('is changed by flags and --set, which may give it other examples', async () => {
    const { folder, at } = await withExperiment();
    const asked = await readEvolveConfig(
      null,
      {
        fork: { experiment: 'evolve_20250101_000000', at_iteration: 0 },
        flags: { train_data: 'train.jsonl', valid_data: 'valid.jsonl', experiment_name: 'forked' },
        overrides: ['scaffolder_model=openai/gpt-4.1', 'num_iterations=9'],
        workingFolder: folder,
      },
      open,
    );
    expect(asked.config).toMatchObject({
      name: 'forked',
      data: { train: at('train.jsonl'), valid: at('valid.jsonl') },
      scaffolder: { lm: { provider: 'openai', model: 'gpt-4.1' } },
      evolution: { num_iterations: 9 },
      output: { results_dir: at('experiments') },
    });
  });

  test('is looked for where the flags say', async () => {
    const { folder, at } = await withExperiment();
    const fork = { experiment: 'evolve_20250101_000000', at_iteration: 0 };
    const asked = await readEvolveConfig(
      null,
      { fork, flags: { results_dir: 'experiments' }, workingFolder: folder },
      open,
    );
    expect(asked.config.output.results_dir).toBe(at('experiments'));
    const elsewhere = readEvolveConfig(
      null,
      { fork, flags: { results_dir: 'other' }, workingFolder: folder },
      open,
    );
    await expect(elsewhere).rejects.toThrow(
      `there is no experiment 'evolve_20250101_000000' in ${at('other')}`,
    );
  });
});

describe('both models are checked without a call', () => {
  const check = (sections: Record<string, unknown>, environment: Record<string, string> = {}) =>
    checkEvolveModels(evolveConfigWith(sections), { environment });
  const lm = { provider: 'simulated' };
  const limits = { max_cost_usd: 1 };

  test.each<[Record<string, unknown>, string, string]>([
    [{ scaffolder: 'gemini/gemini-2.5-pro' }, 'scaffolder.lm.model', 'set GEMINI_API_KEY'],
    [{ executor: 'openai/gpt-4.1' }, 'executor.lm.model', 'set OPENAI_API_KEY'],
    [
      { scaffolder: { lm: { provider: 'scripted', script: import.meta.filename } } },
      'scaffolder.lm.script',
      'script',
    ],
    [
      { executor: { lm: { model: 'openai/own', base_url: 'http://127.0.0.1:1/v1' } }, limits },
      'limits.max_cost_usd',
      'the price of openai/own is not known',
    ],
  ])('%j is refused by its field %s: %s', async (sections, field, message) => {
    const error = await check(sections).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field });
    expect((error as Error).message).toContain(message);
  });

  test('with their keys, or without the need of any, they pass', async () => {
    await expect(check({ scaffolder: { lm }, executor: null, limits })).resolves.toBeUndefined();
    const both = { scaffolder: 'gemini/gemini-2.5-pro', executor: 'gemini/gemini-2.5-flash', limits };
    await expect(check(both, { GEMINI_API_KEY: 'x' })).resolves.toBeUndefined();
  });
});
