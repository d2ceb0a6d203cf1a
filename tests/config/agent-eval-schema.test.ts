import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { firstAgentEvalDifference } from '../../src/config/agent-eval-fingerprint.js';
import { loadAgentEvalConfig } from '../../src/config/agent-eval-load.js';
import type { AgentEvalConfig } from '../../src/config/agent-eval-schema.js';
import { agentEvalConfigJsonSchema } from '../../src/config/json-schema.js';
import { agentEvalConfigWith, MINIMAL_AGENT_EVAL } from './agent-eval-support.js';

/** What an editor says of a config. */
const editor = z.fromJSONSchema(agentEvalConfigJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const simulated = { lm: { provider: 'simulated' } };

test('the shipped config loads, and the JSON Schema accepts it', () => {
  const path = resolve('configs/agent_eval_flight.yaml');
  expect(loadAgentEvalConfig(path, { environment: {} })).toMatchObject({
    name: 'agent_eval_flight',
    datasets: [resolve('examples/flight_task/task.jsonl')],
    rollouts: 2,
    rows: null,
  });
  expect(editor.safeParse(parse(readFileSync(path, 'utf8'))).error).toBeUndefined();
});

describe('the JSON Schema', () => {
  test.each<Record<string, unknown>>([
    {},
    { user: 'human' },
    { user: 'none' },
    { user: null },
    { agent: 'openai/x', user: 'openai/y' },
    { user: { ...simulated, stop_token: '<end>' } },
    { rows: ['a'], rollouts: 3, now: '2026-03-02', limits: { max_cost_usd: 1 } },
  ])('accepts %j, as the loader does', (sections) => {
    expect(() => agentEvalConfigWith(sections)).not.toThrow();
    expect(editor.safeParse({ ...MINIMAL_AGENT_EVAL, ...sections }).error).toBeUndefined();
  });

  test('accepts a dataset by itself, and models that the environment names', () => {
    expect(editor.safeParse({ dataset: 'task.jsonl', agent: { system_prompt: 'x' } }).success).toBe(true);
  });

  test.each<Record<string, unknown>>([
    { extra: 1 },
    { rollouts: 0 },
    { datasets: 'x' },
    { user: { ...simulated, stop: 'x' } },
    { agent: { lm: { model: 'openai/x', temperature: 3 } } },
  ])('refuses %j, as the loader does', (sections) => {
    expect(() => agentEvalConfigWith(sections)).toThrow();
    expect(editor.safeParse({ ...MINIMAL_AGENT_EVAL, ...sections }).success).toBe(false);
  });

  test('describes every field of a resolved config', () => {
    const { dataset, ...properties } = agentEvalConfigJsonSchema().properties ?? {};
    expect(dataset).toBeDefined();
    expect(Object.keys(properties).sort()).toEqual(Object.keys(agentEvalConfigWith()).sort());
  });
});

describe('whether a config asks for the same evaluation', () => {
  const base = agentEvalConfigWith({ user: simulated });
  const withUser = (sections: Record<string, unknown>) =>
    agentEvalConfigWith({ user: simulated, ...sections });

  test.each<[string, AgentEvalConfig]>([
    ['a default written out', withUser({ success_reward: 1, seed: 0 })],
    ['another name', withUser({ name: 'other' })],
    ['another limit', withUser({ limits: { max_lm_calls: 5 } })],
    ['another pace', withUser({ concurrency: 3, tool_timeout_sec: 5 })],
    [
      'other attempts and timeouts',
      withUser({ agent: { lm: { ...simulated.lm, max_attempts: 2, timeout_sec: 5 } } }),
    ],
    ['the same of the user', withUser({ user: { lm: { ...simulated.lm, requests_per_second: 2 } } })],
    ['another folder', withUser({ output: { results_dir: '/elsewhere', log_level: 'DEBUG' } })],
    ['the same from YAML again', parse(stringify(base)) as AgentEvalConfig],
  ])('%s: yes', (_name, config) => {
    expect(firstAgentEvalDifference(base, config)).toBeNull();
  });

  test.each<[string, Record<string, unknown>]>([
    ['seed', { seed: 1 }],
    ['rollouts', { rollouts: 2 }],
    ['rows', { rows: ['a'] }],
    ['datasets', { datasets: ['/tmp'] }],
    ['success_reward', { success_reward: 0.5 }],
    ['now', { now: '2026-03-02' }],
    ['agent.lm.temperature', { agent: { lm: { ...simulated.lm, temperature: 0 } } }],
    ['agent.system_prompt', { agent: { ...simulated, system_prompt: 'Be kind, always.' } }],
    ['user', { user: 'human' }],
    ['user', { user: null }],
    ['user.stop_token', { user: { ...simulated, stop_token: '<end>' } }],
  ])('%s: no', (field, sections) => {
    expect(firstAgentEvalDifference(base, withUser(sections))).toBe(field);
  });

  test('one without a present time takes over that of the earlier one', () => {
    const pinned = withUser({ now: '2026-03-02' });
    expect(firstAgentEvalDifference(pinned, base)).toBeNull();
    expect(firstAgentEvalDifference(pinned, withUser({ now: '2026-03-03' }))).toBe('now');
  });
});
