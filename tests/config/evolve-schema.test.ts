import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { firstEvolveDifference } from '../../src/config/evolve-fingerprint.js';
import { loadEvolveConfig } from '../../src/config/evolve-load.js';
import { EVOLVE_DOMAINS, type EvolveConfig } from '../../src/config/evolve-schema.js';
import { evolveConfigJsonSchema } from '../../src/config/json-schema.js';
import { BUILT_IN_DOMAINS } from '../../src/contracts/names.js';
import { refusal } from '../support/configs.js';
import { evolveConfigWith, MINIMAL_EVOLUTION } from './evolve-support.js';

/** What an editor says of a config. */
const editor = z.fromJSONSchema(evolveConfigJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const HERE = import.meta.filename;
const lm = { provider: 'simulated' };

describe('the shipped evolutions', () => {
  const shipped = readdirSync('configs').filter((name) => name.startsWith('evolve_'));

  test('are one without a key and one with a model', () => {
    expect(shipped).toEqual(['evolve_crosswords.yaml', 'evolve_game24.yaml']);
  });

  test.each(shipped)('%s loads, and the JSON Schema accepts it', (name) => {
    const path = resolve('configs', name);
    expect(loadEvolveConfig(path).output.results_dir).toBe(resolve('experiments'));
    expect(editor.safeParse(parse(readFileSync(path, 'utf8'))).error).toBeUndefined();
  });
});

describe('the JSON Schema of an evolution', () => {
  const accepted: Record<string, unknown>[] = [
    {},
    { domain: 'crosswords' },
    { domain: { name: 'crosswords', options: { mode: 'lenient' } } },
    { domain: HERE },
    { selection: 'pareto' },
    { selection: { type: 'islands', islands: 2 } },
    { executor: 'none' },
    { executor: null },
    { executor: { lm, max_tokens_per_execution: null } },
    { scaffolder: 'openai/gpt-4.1' },
    { scaffolder: { lm, num_examples: 2, feedback: {} } },
    { sandbox: 'process' },
    { sandbox: { type: 'docker', memory_mb: 64 } },
    { data: { train: HERE, valid: HERE, test: null } },
    { limits: { max_cost_usd: 1 } },
  ];
  test.each(accepted)('accepts %j, as the loader does', (sections) => {
    expect(() => evolveConfigWith(sections)).not.toThrow();
    expect(editor.safeParse({ ...MINIMAL_EVOLUTION, ...sections }).error).toBeUndefined();
  });

  const wrong: Record<string, unknown>[] = [
    { extra: 1 },
    { domain: 'chess' },
    { domain: 'custom' },
    { domain: 3 },
    { selection: 'best' },
    { selection: { type: 'top_k', islands: 2 } },
    { executor: {} },
    { scaffolder: { mode: 'single' } },
    { scaffolder: { lm, num_examples: 'two' } },
    { sandbox: 'vm' },
    { data: 'train.jsonl' },
    { evolution: { num_iterations: 1.5 } },
    { evolution: { concurrency: 0 } },
    { timeout_sec: 0 },
    { seed: -1 },
    { output: { save_memory_path: 'x' } },
  ];
  test.each(wrong)('refuses %j, as the loader does', (sections) => {
    refusal(() => evolveConfigWith(sections));
    expect(editor.safeParse({ ...MINIMAL_EVOLUTION, ...sections }).success).toBe(false);
  });

  test.each(['task_prompt', 'domain', 'data', 'scaffolder'] as const)('requires %s', (field) => {
    const { [field]: _left, ...rest } = MINIMAL_EVOLUTION;
    expect(editor.safeParse(rest).success).toBe(false);
  });

  test('describes every section with its defaults', () => {
    const { properties = {} } = evolveConfigJsonSchema();
    expect(Object.keys(properties).sort()).toEqual(Object.keys(evolveConfigWith()).sort());
    expect(properties.evolution?.properties?.num_iterations).toMatchObject({ default: 5 });
  });

  test('and the loader know the same built-in domains as the registry', () => {
    expect([...EVOLVE_DOMAINS].sort()).toEqual([...BUILT_IN_DOMAINS, 'custom'].sort());
  });
});

describe('two evolutions', () => {
  const differ = (sections: Record<string, unknown>) =>
    firstEvolveDifference(evolveConfigWith(), evolveConfigWith(sections));

  test.each<[Record<string, unknown>]>([
    [{ name: 'other' }],
    [{ limits: { max_cost_usd: 3 } }],
    [{ output: { results_dir: '/elsewhere', log_level: 'DEBUG' } }],
    [{ evolution: { concurrency: 9 } }],
    [{ evolution: { num_iterations: 9 } }],
    [{ scaffolder: { lm: { ...lm, requests_per_second: 3, max_attempts: 2, timeout_sec: 9 } } }],
    [{ scaffolder: { lm, max_turns: 3, draft_examples: 9 } }],
  ])('ask the same where only %j differs', (sections) => {
    expect(differ(sections)).toBeNull();
  });

  test.each<[Record<string, unknown>, string]>([
    [{ task_prompt: 'Another puzzle.' }, 'task_prompt'],
    [{ domain: 'numeric' }, 'domain.name'],
    [{ data: { generate: { valid: 60 } } }, 'data.generate.valid'],
    [{ evolution: { scaffolds_per_iter: 2 } }, 'evolution.scaffolds_per_iter'],
    [{ evolution: { final_validation: false } }, 'evolution.final_validation'],
    [{ selection: 'islands' }, 'selection.type'],
    [{ scaffolder: { lm: { ...lm, temperature: 1 } } }, 'scaffolder.lm.temperature'],
    [{ scaffolder: { lm, num_examples: 2 } }, 'scaffolder.num_examples'],
    [{ scaffolder: { lm, mode: 'agent' } }, 'scaffolder.mode'],
    [{ executor: { lm } }, 'executor'],
    [{ timeout_sec: 5 }, 'timeout_sec'],
    [{ sandbox: { type: 'process' } }, 'sandbox.type'],
    [{ seed: 1 }, 'seed'],
  ])('ask for something else where %j differs, in %s', (sections, field) => {
    expect(differ(sections)).toBe(field);
  });

  test('turns make a difference where they are taken', () => {
    const agent = (max_turns: number) => evolveConfigWith({ scaffolder: { lm, mode: 'agent', max_turns } });
    expect(firstEvolveDifference(agent(3), agent(4))).toBe('scaffolder.max_turns');
  });

  test('a config from before there was a choice of modes asks the same', () => {
    const config = evolveConfigWith();
    const { mode: _mode, max_turns: _turns, draft_examples: _examples, ...before } = config.scaffolder;
    const stored = { ...config, scaffolder: before } as EvolveConfig;
    expect(firstEvolveDifference(stored, config)).toBeNull();
  });

  test('a config that was written to a folder asks the same', () => {
    const config = evolveConfigWith({ executor: { lm }, scaffolder: { lm, feedback: {} } });
    expect(firstEvolveDifference(parse(stringify(config)) as EvolveConfig, config)).toBeNull();
  });
});
