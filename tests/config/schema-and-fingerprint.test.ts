import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { registeredAgents } from '../../src/agents/registry.js';
import { BUILT_IN_AGENTS } from '../../src/config/agent-schemas.js';
import { firstDifference } from '../../src/config/fingerprint.js';
import { configJsonSchema } from '../../src/config/json-schema.js';
import { loadConfig } from '../../src/config/load.js';
import type { RunConfig } from '../../src/config/schema.js';
import { configOf, MINIMAL, refusal } from '../support/configs.js';

const CONFIGS = fileURLToPath(new URL('../../configs/', import.meta.url));
const shipped = readdirSync(CONFIGS).filter((name) => /^(?!evolve_|agent_eval_).*\.yaml$/.test(name));
/** What an editor says of a config. */
const editor = z.fromJSONSchema(configJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);

describe('the shipped configs', () => {
  test('are the five that the documentation names', () => {
    expect(shipped).toEqual(
      expect.arrayContaining([
        'aime_numeric.yaml',
        'gpqa_mcq.yaml',
        'mmlu_pro.yaml',
        'reflexion.yaml',
        'toy_inmemory.yaml',
      ]),
    );
  });

  test.each(shipped)('%s loads, and the JSON Schema accepts it', (name) => {
    expect(loadConfig(`${CONFIGS}${name}`).name).not.toBe('');
    expect(editor.safeParse(parse(readFileSync(`${CONFIGS}${name}`, 'utf8'))).error).toBeUndefined();
  });
});

describe('the JSON Schema', () => {
  const accepted: Record<string, unknown>[] = [
    {},
    { memory: { max_length: 3 } },
    { agent: { history_k: 0 } },
    { agent: { type: 'reflexion_agent', reflection_config: { mode: 'both' } } },
    { agent: { type: 'mine', file: import.meta.filename, depth: 3 } },
    { lm: { model: 'gemini-2.5-flash', thinking_budget: null } },
    { lm: { provider: 'simulated', simulation: { latency_ms: { mean: 5 } } } },
    { dataset: { items: [{ any: { thing: [1] } }], choices_field: ['a', 'b'] } },
    { runtime: { max_envs_to_visit: null }, limits: { max_cost_usd: 0.5 } },
    { 'x-mine': [1] },
  ];
  test.each(accepted)('accepts %j, as the loader does', (sections) => {
    expect(() => configOf(sections)).not.toThrow();
    expect(editor.safeParse({ ...MINIMAL, ...sections }).error).toBeUndefined();
  });

  const refused: Record<string, unknown>[] = [
    { extra: 1 },
    { seed: 1.5 },
    { seed: -1 },
    { name: '' },
    { runtime: { num_trails: 3 } },
    { runtime: { num_trials: 0 } },
    { runtime: { num_trials: '3' } },
    { runtime: { memory_scope: 'all' } },
    { limits: { max_cost_usd: 0 } },
    { lm: { model: 'openai/x', temperature: 3 } },
    { lm: { provider: 'azure', model: 'x' } },
    { lm: { provider: 'simulated', simulation: { accuracy: 2 } } },
    { lm: { provider: 'simulated', simulation: { latency_ms: { deviation: 1 } } } },
    { memory: { _type: 'vector_db' } },
    { memory: { max_length: 0 } },
    { agent: { type: 'nope' } },
    { agent: { type: 'memory_agent', reflection_config: {} } },
    { agent: { type: 'reflexion_agent', reflection_config: { mode: 'x' } } },
    { agent: { history_k: -1 } },
    { dataset: { items: [] } },
    { dataset: { items: [3] } },
    { dataset: { items: [{}], choices_field: ['one'] } },
    { output: { log_level: 'info' } },
  ];
  test.each(refused)('refuses %j, as the loader does', (sections) => {
    refusal(() => configOf(sections));
    expect(editor.safeParse({ ...MINIMAL, ...sections }).success).toBe(false);
  });

  test('requires a dataset and a model', () => {
    expect(editor.safeParse({ lm: MINIMAL.lm }).success).toBe(false);
    expect(editor.safeParse({ dataset: MINIMAL.dataset }).success).toBe(false);
  });

  test('describes every section with its defaults', () => {
    const { properties = {} } = configJsonSchema();
    expect(Object.keys(properties).sort()).toEqual(Object.keys(configOf()).sort());
    expect(properties.runtime?.properties?.num_trials).toMatchObject({ default: 1 });
  });

  test('and the loader know the same built-in agents as the registry', () => {
    expect(registeredAgents()).toEqual([...BUILT_IN_AGENTS]);
  });
});

describe('whether two configs ask the same', () => {
  const ONE_BY_ONE = { memory_scope: 'run' };
  const likeBase = (sections: Record<string, unknown> = {}) => configOf({ runtime: ONE_BY_ONE, ...sections });
  const base = likeBase();
  const same: [string, RunConfig][] = [
    ['what is left out and the default', configOf({ runtime: { ...ONE_BY_ONE, num_trials: 1 }, seed: 0 })],
    [
      'a default written out in another order',
      configOf({ agent: { feedback: 'full', type: 'history_agent' } }),
    ],
    ['the model with its provider apart', likeBase({ lm: { model: 'simulated', provider: 'simulated' } })],
    ['the model in one word', likeBase({ lm: { model: 'simulated/simulated' } })],
    ['another name', likeBase({ name: 'other' })],
    ['another limit', likeBase({ limits: { max_lm_calls: 5 } })],
    ['another pace', likeBase({ runtime: { ...ONE_BY_ONE, concurrency: 3 } })],
    [
      'other attempts and timeouts',
      likeBase({ lm: { ...MINIMAL.lm, max_attempts: 2, timeout_sec: 5, requests_per_second: 1 } }),
    ],
    ['another folder', likeBase({ output: { results_dir: '/elsewhere', log_level: 'DEBUG' } })],
    ['the same from YAML again', parse(stringify(base)) as RunConfig],
  ];
  test.each(same)('%s: yes', (_name, config) => {
    expect(firstDifference(base, config)).toBeNull();
  });

  test.each<[string, Record<string, unknown>]>([
    ['seed', { seed: 1 }],
    ['runtime.num_trials', { runtime: { ...ONE_BY_ONE, num_trials: 2 }, agent: { feedback: 'full' } }],
    ['runtime.memory_scope', { runtime: { memory_scope: 'sample' } }],
    ['lm.temperature', { lm: { ...MINIMAL.lm, temperature: 0 } }],
    ['lm.simulation.accuracy', { lm: { ...MINIMAL.lm, simulation: { accuracy: 0.6 } } }],
    ['agent.history_k', { agent: { history_k: 3 } }],
    ['memory.max_length', { memory: { max_length: 3 } }],
    ['dataset.items', { dataset: { items: [{ question: 'q', answer: 'b' }] } }],
    ['load_memory_path', { output: { load_memory_path: 's3://bucket/memory.json' } }],
  ])('%s: no', (field, sections) => {
    const config = likeBase(sections);
    expect(firstDifference(base, config)).toBe(field);
  });
});
