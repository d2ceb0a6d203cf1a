import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { ConfigKind } from '../../src/config/kind.js';
import { loadConfig } from '../../src/config/load.js';
import { firstDifference, paceChange } from '../../src/config/pacing.js';
import { agentEvalConfigs } from '../../src/kinds/agent-eval/config.js';
import { evolveConfigs } from '../../src/kinds/evolve/config.js';
import { BUILT_IN_DOMAINS } from '../../src/kinds/evolve/contracts.js';
import { EVOLVE_DOMAINS } from '../../src/kinds/evolve/schema.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { MINIMAL } from '../support/configs.js';
import { EVERY_KIND, LEAST, resolved } from '../support/kinds.js';

type Sections = Record<string, unknown>;

/** What an editor says of a config. */
const editorOf = (kind: ConfigKind) =>
  z.fromJSONSchema(kind.jsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const HERE = import.meta.filename;
const lm = { provider: 'simulated' };

/** What the JSON Schema and the loader say alike of a config with other sections; what must be there. */
const SCHEMAS: Record<string, { accepted: Sections[]; refused: Sections[]; required: string[] }> = {
  run: {
    accepted: [
      {},
      { memory: { max_length: 3 } },
      { agent: { history_k: 0 } },
      { agent: { type: 'reflexion_agent', reflection_config: { mode: 'both' } } },
      { agent: { type: 'mine', file: HERE, depth: 3 } },
      { lm: { model: 'gemini-2.5-flash', thinking_budget: null } },
      { lm: { model: 'gemini-2.5-flash', stop: 'x', top_k: 3, reasoning_effort: 'low' } },
      { lm: { provider: 'simulated', response_format: { type: 'object' }, extra_headers: { 'X-A': 'b' } } },
      { lm: { provider: 'simulated', simulation: { latency_ms: { mean: 5 } } } },
      { dataset: { items: [{ any: { thing: [1] } }], choices_field: ['a', 'b'] } },
      { runtime: { max_envs_to_visit: null }, limits: { max_cost_usd: 0.5 } },
      { 'x-mine': [1] },
    ],
    refused: [
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
      { lm: { model: 'openai/x', stop: [] } },
      { lm: { model: 'openai/x', extra_headers: { 'X-A': 1 } } },
      { lm: { provider: 'nobody', model: 'x' } },
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
    ],
    required: ['dataset'],
  },
  evolve: {
    accepted: [
      {},
      { domain: 'crosswords' },
      { domain: { name: 'crosswords', options: { mode: 'lenient' } } },
      { domain: HERE },
      { selection: 'pareto' },
      { selection: { type: 'islands', islands: 2 } },
      { models: { scaffolder: lm, executor: 'none' } },
      { models: { scaffolder: lm, executor: null } },
      { models: { scaffolder: lm, executor: lm }, executor: { max_tokens_per_execution: null } },
      { models: { scaffolder: 'openai/gpt-4.1' } },
      { models: { scaffolder: lm }, scaffolder: { num_examples: 2, feedback: {} } },
      { sandbox: 'process' },
      { sandbox: { type: 'docker', memory_mb: 64 } },
      { data: { train: HERE, valid: HERE, test: null } },
      { fork: { experiment: 'other', at_iteration: 0 } },
      { limits: { max_cost_usd: 1 } },
    ],
    refused: [
      { extra: 1 },
      { domain: 'chess' },
      { domain: 'custom' },
      { domain: 3 },
      { selection: 'best' },
      { selection: { type: 'top_k', islands: 2 } },
      { scaffolder: { mode: 'twice' } },
      { models: { scaffolder: lm }, scaffolder: { num_examples: 'two' } },
      { sandbox: 'vm' },
      { data: 'train.jsonl' },
      { evolution: { num_iterations: 1.5 } },
      { evolution: { concurrency: 0 } },
      { fork: { experiment: 'other' } },
      { fork: { experiment: 'other', at_iteration: -1 } },
      { timeout_sec: 0 },
      { seed: -1 },
      { output: { save_memory_path: 'x' } },
    ],
    required: ['task_prompt', 'domain', 'data'],
  },
  'agent-eval': {
    accepted: [
      {},
      { models: { agent: lm, user: 'human' } },
      { models: { agent: lm, user: 'none' } },
      { models: { agent: lm, user: null } },
      { models: { agent: 'openai/x', user: 'openai/y' } },
      { models: { agent: lm, user: lm }, user: { stop_token: '<end>' } },
      { rows: ['a'], rollouts: 3, now: '2026-03-02', limits: { max_cost_usd: 1 } },
      // By itself, and with a model that the environment may name.
      { datasets: undefined, dataset: '/usr' },
    ],
    refused: [
      { extra: 1 },
      { rollouts: 0 },
      { datasets: 'x' },
      { models: { agent: lm, user: lm }, user: { stop: 'x' } },
      { models: { agent: { model: 'openai/x', temperature: 3 } } },
    ],
    required: [],
  },
  judge: {
    accepted: [{}, { rubric: undefined }, { lm: 'openai/x' }, { limits: { max_cost_usd: 1 } }],
    refused: [{ extra: 1 }, { rubric: { criteria: [] } }, { lm: { model: 'openai/x', temperature: 3 } }],
    required: ['experiment'],
  },
  'own-kind': {
    accepted: [
      {},
      { models: { writer: 'openai/x', judge: { model: 'openai/y', temperature: 1 } } },
      { settings: { any: { thing: [1] } } },
      { max_samples: null, work_timeout_sec: 0.5, limits: { max_cost_usd: 1 } },
    ],
    refused: [
      { extra: 1 },
      { models: ['openai/x'] },
      { models: { writer: { model: 'openai/x', temperature: 3 } } },
      { settings: [1] },
      { concurrency: 0 },
      { work_timeout_sec: 0 },
    ],
    required: ['kind', 'models', 'dataset'],
  },
};

describe.each(EVERY_KIND)('the JSON Schema of $id', ({ id, kind, least }) => {
  const { accepted, refused, required } = SCHEMAS[id] as (typeof SCHEMAS)[string];
  const editor = editorOf(kind);

  test.each(accepted)('accepts %j, as the loader does', (sections) => {
    expect(() => resolved(kind, { ...least, ...sections })).not.toThrow();
    const { error } = editor.safeParse(JSON.parse(JSON.stringify({ ...least, ...sections })));
    expect(error).toBeUndefined();
  });

  test.each(refused)('refuses %j, as the loader does', (sections) => {
    expect(() => resolved(kind, { ...least, ...sections })).toThrow();
    expect(editor.safeParse({ ...least, ...sections }).success).toBe(false);
  });

  test.each(required.map((field) => [field]))('requires %s', (field) => {
    const { [field]: _left, ...rest } = least;
    expect(editor.safeParse(rest).success).toBe(false);
  });

  test('describes every field of a resolved config', () => {
    const { dataset: _short, lm: _main, models: _roles, ...properties } = kind.jsonSchema().properties ?? {};
    const elsewhere = ['dataset', 'lm', 'models'];
    const fields = Object.keys(resolved(kind, least)).filter((field) => !elsewhere.includes(field));
    expect(Object.keys(properties).sort()).toEqual(fields.sort());
  });
});

test('a model that the environment names need not stand in a config', () => {
  expect(editorOf(agentEvalConfigs).safeParse({ dataset: 'x', agent: { system_prompt: 'x' } }).success).toBe(
    true,
  );
});

test('schemas and registries know the same domains', () => {
  expect([...EVOLVE_DOMAINS].sort()).toEqual([...BUILT_IN_DOMAINS, 'custom'].sort());
});

describe('the shipped configs', () => {
  const shipped = readdirSync('configs').filter((name) => name.endsWith('.yaml'));

  test.each([
    ['run', 'toy_inmemory aime_numeric gpqa_mcq mmlu_pro reflexion'],
    ['evolve', 'evolve_crosswords evolve_game24'],
    ['agent-eval', 'agent_eval_flight'],
  ])('are those of %s that the documentation names', (_id, names) => {
    for (const name of names.split(' ')) expect(shipped).toContain(`${name}.yaml`);
  });

  test.each(shipped)('%s loads as what it is, and the JSON Schema accepts it', (name) => {
    const raw = parse(readFileSync(resolve('configs', name), 'utf8'));
    const [kind] = EVERY_KIND.filter((one) => one.kind.recognises(raw));
    const config = loadConfig(kind?.kind as ConfigKind, resolve('configs', name), { environment: {} });
    expect(config).toMatchObject({ name: expect.stringMatching(/./) });
    expect(editorOf(kind?.kind as ConfigKind).safeParse(raw).error).toBeUndefined();
  });
});

const ONE_BY_ONE = { memory_scope: 'run' };
const USED = { models: { agent: lm, user: lm } };

/** Sections beside the least with which a config asks the same as the first one, and those by the field that differs. */
const COMPARED: Record<string, { base: Sections; same: Sections[]; different: [string, Sections][] }> = {
  run: {
    base: { runtime: ONE_BY_ONE },
    same: [
      { runtime: { ...ONE_BY_ONE, num_trials: 1 }, seed: 0 },
      { agent: { feedback: 'full', type: 'history_agent' } },
      { lm: { model: 'simulated', provider: 'simulated' } },
      { lm: { model: 'simulated/simulated' } },
      { name: 'other' },
      { output: { results_dir: '/elsewhere', log_level: 'DEBUG' } },
    ],
    different: [
      ['seed', { seed: 1 }],
      ['runtime.num_trials', { runtime: { ...ONE_BY_ONE, num_trials: 2 }, agent: { feedback: 'full' } }],
      ['runtime.memory_scope', { runtime: { memory_scope: 'sample' } }],
      ['lm.simulation.accuracy', { lm: { ...lm, simulation: { accuracy: 0.6 } } }],
      ['agent.history_k', { agent: { history_k: 3 } }],
      ['memory.max_length', { memory: { max_length: 3 } }],
      ['dataset.items', { dataset: { items: [{ question: 'q', answer: 'b' }] } }],
      ['output.load_memory_path', { output: { load_memory_path: 's3://bucket/memory.json' } }],
    ],
  },
  evolve: {
    base: {},
    same: [
      { name: 'other' },
      { output: { results_dir: '/elsewhere', log_level: 'DEBUG' } },
      { evolution: { num_iterations: 9 } },
      { models: { scaffolder: lm }, scaffolder: { max_turns: 3, draft_examples: 9 } },
    ],
    different: [
      ['task_prompt', { task_prompt: 'Another puzzle.' }],
      ['domain.name', { domain: 'numeric' }],
      ['data.generate.valid', { data: { generate: { valid: 60 } } }],
      ['evolution.scaffolds_per_iter', { evolution: { scaffolds_per_iter: 2 } }],
      ['evolution.final_validation', { evolution: { final_validation: false } }],
      ['selection.type', { selection: 'islands' }],
      ['scaffolder.num_examples', { models: { scaffolder: lm }, scaffolder: { num_examples: 2 } }],
      ['scaffolder.mode', { models: { scaffolder: lm }, scaffolder: { mode: 'agent' } }],
      ['models.executor', { models: { scaffolder: lm, executor: lm } }],
      ['fork', { fork: { experiment: 'other', at_iteration: 1 } }],
      ['timeout_sec', { timeout_sec: 5 }],
      ['sandbox.type', { sandbox: { type: 'process' } }],
      ['seed', { seed: 1 }],
    ],
  },
  'agent-eval': {
    base: USED,
    same: [
      { success_reward: 1, seed: 0 },
      { name: 'other' },
      { tool_timeout_sec: 5 },
      { models: { agent: lm, user: { ...lm, requests_per_second: 2 } } },
      { output: { results_dir: '/elsewhere', log_level: 'DEBUG' } },
    ],
    different: [
      ['seed', { seed: 1 }],
      ['rollouts', { rollouts: 2 }],
      ['rows', { rows: ['a'] }],
      ['datasets', { datasets: ['/tmp'] }],
      ['success_reward', { success_reward: 0.5 }],
      ['now', { now: '2026-03-02' }],
      [
        'agent.system_prompt',
        { models: { agent: lm, user: lm }, agent: { system_prompt: 'Be kind, always.' } },
      ],
      ['models.user', { models: { agent: lm, user: 'human' } }],
      ['models.user', { models: { agent: lm, user: null } }],
      ['user.stop_token', { models: { agent: lm, user: lm }, user: { stop_token: '<end>' } }],
    ],
  },
  judge: {
    base: {},
    same: [{ log_level: 'DEBUG' }],
    different: [
      ['experiment', { experiment: '/elsewhere' }],
      [
        'rubric.show_reward',
        {
          rubric: {
            ...(resolved(EVERY_KIND.find(({ id }) => id === 'judge')?.kind as ConfigKind, LEAST.judge)
              .rubric as object),
            show_reward: true,
          },
        },
      ],
    ],
  },
  'own-kind': {
    base: {},
    same: [
      { name: 'other' },
      { settings: {} },
      { models: { writer: { ...lm, timeout_sec: 7, requests_per_second: 2 } } },
      { work_timeout_sec: 5 },
      { output: { results_dir: '/elsewhere', log_level: 'DEBUG' } },
    ],
    different: [
      ['kind', { kind: HERE }],
      ['models.writer.simulation.accuracy', { models: { writer: { ...lm, simulation: { accuracy: 0.6 } } } }],
      ['settings.n', { settings: { n: 3 } }],
      ['max_samples', { max_samples: 1 }],
      ['dataset.items', { dataset: { items: [{ question: 'q', answer: 'b' }] } }],
      ['seed', { seed: 1 }],
    ],
  },
};

describe.each(EVERY_KIND)('two configs of $id', ({ id, kind, least }) => {
  const { base, same, different } = COMPARED[id] as (typeof COMPARED)[string];
  const configWith = (sections: Sections) => resolved(kind, { ...least, ...base, ...sections });

  test.each(same)('ask the same where only %j differs', (sections) => {
    expect(firstDifference(kind, configWith({}), configWith(sections))).toBeNull();
  });

  test.each(different)('ask for something else in %s', (field, sections) => {
    expect(firstDifference(kind, configWith({}), configWith(sections))).toBe(field);
  });

  test('ask the same where one was written to a folder', () => {
    expect(firstDifference(kind, parse(stringify(configWith({}))) as object, configWith({}))).toBeNull();
  });
});

test('turns make a difference where they are taken', () => {
  const agent = (max_turns: number) =>
    resolved(evolveConfigs, {
      ...LEAST.evolve,
      models: { scaffolder: lm },
      scaffolder: { mode: 'agent', max_turns },
    });
  expect(firstDifference<object>(evolveConfigs, agent(3), agent(4))).toBe('scaffolder.max_turns');
});

test('an evaluation without a present time takes over that of the earlier one', () => {
  const at = (now?: string) => resolved(agentEvalConfigs, { ...LEAST['agent-eval'], now });
  expect(firstDifference<object>(agentEvalConfigs, at('2026-03-02'), at())).toBeNull();
  expect(firstDifference<object>(agentEvalConfigs, at('2026-03-02'), at('2026-03-03'))).toBe('now');
});

test('another concurrency means nothing where samples go one after another', () => {
  const one = (concurrency: number) =>
    resolved(runConfigs, { ...MINIMAL, runtime: { ...ONE_BY_ONE, concurrency } });
  expect(paceChange<object>(runConfigs, one(3), one(4))).toEqual({ concurrency: null, fixed: null });
});
