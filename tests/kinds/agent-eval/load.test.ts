import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FlagValues } from '../../../src/config/flags.js';
import { loadConfig, resolveConfig } from '../../../src/config/load.js';
import { agentEvalConfigs } from '../../../src/kinds/agent-eval/config.js';
import { agentEvalConfigWith, evaluationFolder } from '../../config/agent-eval-support.js';

const WHOLE = `
dataset: task.jsonl
rows: [a, b]
max_rows: 1
rollouts: 3
concurrency: 2
agent: { lm: { model: openai/small }, system_prompt: prompt.md }
user: { lm: { model: gemini/gemini-2.5-flash, temperature: 1 }, stop_token: '<end>' }
now: 2026-03-02
`;

describe('the specified three lines', () => {
  test('say everything: the models in the environment, the dataset on the command line', () => {
    const { folder, at } = evaluationFolder();
    const config = loadConfig(agentEvalConfigs, null, {
      flags: { datasets: ['task.jsonl'] },
      environment: { MODEL_AGENT: 'openai/gpt-4o-mini', MODEL_SIM: 'openai/gpt-3.5-turbo' },
      workingFolder: folder,
    });
    expect(config).toMatchObject({
      name: basename(folder),
      datasets: [at('task.jsonl')],
      rows: null,
      rollouts: null,
      agent: { lm: { provider: 'openai', model: 'gpt-4o-mini' }, system_prompt: null },
      user: { lm: { provider: 'openai', model: 'gpt-3.5-turbo' }, stop_token: '###STOP###' },
      concurrency: 8,
      success_reward: 1,
      now: null,
      output: { results_dir: at('results') },
    });
  });
});

describe('MODEL_AGENT and MODEL_SIM', () => {
  const environment = { MODEL_AGENT: 'openai/of-agent', MODEL_SIM: 'openai/of-user' };
  const modelsOf = (sections: Record<string, unknown>, flags: FlagValues = {}) => {
    const { agent, user } = agentEvalConfigWith(sections, { flags, environment });
    return [agent.lm.model, user === null || user === 'human' ? user : user.lm.model];
  };

  test.each<[string, Record<string, unknown>, FlagValues, (string | null)[]]>([
    ['are the default', { agent: undefined }, {}, ['of-agent', 'of-user']],
    ['fill a section without a model', { agent: {}, user: { lm: {} } }, {}, ['of-agent', 'of-user']],
    ['give way to a file', { agent: 'openai/x', user: 'openai/y' }, {}, ['x', 'y']],
    [
      'give way to a provider without a name',
      { user: { lm: { provider: 'simulated' } } },
      {},
      ['simulated', 'simulated'],
    ],
    ['give way to flags', { agent: {} }, { agent: 'openai/x', user: 'openai/y' }, ['x', 'y']],
    ['give way to a person', { agent: {}, user: 'human' }, {}, ['of-agent', 'human']],
    ['give way to nobody', { agent: {}, user: null }, {}, ['of-agent', null]],
    ['give way to nobody by a flag', { agent: {} }, { user: 'none' }, ['of-agent', null]],
  ])('%s', (_what, sections, flags, expected) => {
    expect(modelsOf(sections, flags)).toEqual(expected);
  });

  test('keep how the model is asked', () => {
    const { agent } = agentEvalConfigWith({ agent: { lm: { temperature: 1 } } }, { environment });
    expect(agent.lm).toMatchObject({ model: 'of-agent', temperature: 1 });
  });

  test('MODEL_SIM may name a person', () => {
    expect(agentEvalConfigWith({}, { environment: { MODEL_SIM: 'human' } }).user).toBe('human');
  });

  test('may name models by their paths, and the server of each', () => {
    const own = {
      MODEL_AGENT: '/path/to/model',
      MODEL_AGENT_BASE_URL: 'http://127.0.0.1:9/v1',
      MODEL_SIM: 'openai/of-user',
    };
    const { agent, user } = agentEvalConfigWith({ agent: undefined }, { environment: own });
    expect(agent.lm).toMatchObject({
      provider: 'openai',
      model: '/path/to/model',
      base_url: 'http://127.0.0.1:9/v1',
    });
    expect(user).toMatchObject({ lm: { model: 'of-user' } });
    expect((user as { lm: object }).lm).not.toHaveProperty('base_url');
    const flags = { agent: 'openai/x' };
    expect(agentEvalConfigWith({}, { environment: own, flags }).agent.lm).not.toHaveProperty('base_url');
  });

  test('say nothing where they are empty', () => {
    expect(agentEvalConfigWith({}, { environment: { MODEL_AGENT: '', MODEL_SIM: ' ' } }).user).toBeNull();
  });
});

describe('a script or a recording may be named as a model', () => {
  const files = {
    'agent.yaml': '',
    'calls.jsonl': '',
    'it.yaml': 'dataset: .\nagent: scripted/agent.yaml\n',
  };
  const scripted = (at: (name: string) => string) => ({
    agent: { lm: { provider: 'scripted', model: 'agent.yaml', script: at('agent.yaml') } },
  });

  test('in the environment, from the working folder', () => {
    const { folder, at } = evaluationFolder(files);
    const environment = { MODEL_AGENT: 'scripted/agent.yaml', MODEL_SIM: 'replay/./calls.jsonl' };
    const options = { flags: { datasets: ['.'] }, environment, workingFolder: folder };
    expect(loadConfig(agentEvalConfigs, null, options)).toMatchObject({
      ...scripted(at),
      user: { lm: { provider: 'replay', recording: at('calls.jsonl') } },
    });
  });

  test('by a flag, in the place of another one and its file', () => {
    const { folder, at } = evaluationFolder({ ...files, 'other.yaml': '' });
    const config = loadConfig(agentEvalConfigs, at('it.yaml'), {
      flags: { agent: 'scripted/../other.yaml', user: 'scripted/../agent.yaml' },
      workingFolder: at('elsewhere'),
    });
    expect(config.agent.lm.script).toBe(at('other.yaml'));
    expect(config.user).toMatchObject({ lm: { script: at('agent.yaml') } });
    expect(config.datasets).toEqual([folder]);
  });

  test('in a file, from the file’s folder', () => {
    const { at } = evaluationFolder(files);
    expect(loadConfig(agentEvalConfigs, at('it.yaml'), { workingFolder: '/' })).toMatchObject(scripted(at));
  });
});

describe('a section in a word', () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ datasets: undefined, dataset: '/tmp' }, { datasets: ['/tmp'] }],
    [{ agent: 'openai/gpt-4o-mini' }, { agent: { lm: { provider: 'openai', model: 'gpt-4o-mini' } } }],
    [{ user: 'openai/gpt-3.5-turbo' }, { user: { lm: { model: 'gpt-3.5-turbo' } } }],
    [{ user: 'none' }, { user: null }],
    [{ user: 'human' }, { user: 'human' }],
  ])('%j', (sections, expected) => {
    expect(agentEvalConfigWith(sections)).toMatchObject(expected);
  });
});

describe('flags', () => {
  test('say what a file says', () => {
    const { folder, at } = evaluationFolder({ 'whole.yaml': WHOLE });
    const flags = {
      datasets: ['task.jsonl'],
      rows: ['a', 'b'],
      limit: '1',
      rollouts: '3',
      concurrency: '2',
      agent: 'openai/small',
      user: 'gemini/gemini-2.5-flash',
    };
    const overrides = [
      'agent.system_prompt=prompt.md',
      'user.lm.temperature=1',
      'user.stop_token=<end>',
      'now=2026-03-02',
    ];
    const byFlags = loadConfig(agentEvalConfigs, null, {
      flags: { ...flags, name: 'whole' },
      overrides,
      workingFolder: folder,
    });
    expect(byFlags).toEqual(loadConfig(agentEvalConfigs, at('whole.yaml'), { workingFolder: folder }));
  });

  test('beside a file take the place of what it says, and leave the rest', () => {
    const { folder, at } = evaluationFolder({ 'whole.yaml': WHOLE });
    mkdirSync(at('elsewhere/bundle'), { recursive: true });
    const workingFolder = at('elsewhere');
    const whole = loadConfig(agentEvalConfigs, at('whole.yaml'), { workingFolder });
    const config = loadConfig(agentEvalConfigs, at('whole.yaml'), {
      flags: {
        datasets: ['bundle', '../more.jsonl'],
        user: 'gemini/gemini-2.5-pro',
        rollouts: '1',
        results_dir: 'here',
      },
      workingFolder,
    });
    expect(config).toEqual({
      ...whole,
      datasets: [join(folder, 'elsewhere/bundle'), at('more.jsonl')],
      rollouts: 1,
      user: {
        stop_token: '<end>',
        lm: { ...(whole.user as { lm: object }).lm, model: 'gemini-2.5-pro' },
      },
      output: { ...whole.output, results_dir: join(workingFolder, 'here') },
    });
  });

  test('a model in the place of a person has the defaults of a model', () => {
    const { user } = agentEvalConfigWith({ user: 'human' }, { flags: { user: 'simulated/x' } });
    expect(user).toMatchObject({ lm: { provider: 'simulated' }, stop_token: '###STOP###' });
  });
});

describe('--set', () => {
  test.each<[string, Record<string, unknown>]>([
    ['agent=openai/x', { agent: { lm: { model: 'x' } } }],
    ['user=human', { user: 'human' }],
    ['user=none', { user: null }],
    ['agent.lm.temperature=1', { agent: { lm: { temperature: 1 } } }],
    ['limits.max_cost_usd=2', { limits: { max_cost_usd: 2 } }],
    ['rows=[a]', { rows: ['a'] }],
    ['name=other', { name: 'other' }],
  ])('%s', (assignment, expected) => {
    expect(agentEvalConfigWith({}, { overrides: [assignment] })).toMatchObject(expected);
  });

  test('comes after the flags', () => {
    const options = { flags: { rollouts: '1' }, overrides: ['rollouts=2'] };
    expect(agentEvalConfigWith({}, options).rollouts).toBe(2);
  });
});

test('paths are relative to the YAML’s folder, wherever the command runs', () => {
  const { folder, at } = evaluationFolder({ 'script.yaml': '' });
  const evaluation = {
    datasets: ['task.jsonl', 'more.jsonl'],
    agent: { lm: { provider: 'scripted', script: 'script.yaml' }, system_prompt: 'prompt.md' },
    user: { lm: { provider: 'replay', recording: 'script.yaml' } },
  };
  const source = { source: 'it', folder, fallbackName: null, workingFolder: '/work', environment: {} };
  expect(resolveConfig(agentEvalConfigs, evaluation, source)).toMatchObject({
    name: basename(folder),
    datasets: [at('task.jsonl'), at('more.jsonl')],
    agent: { lm: { script: at('script.yaml') }, system_prompt: 'Be kind.\n' },
    user: { lm: { recording: at('script.yaml') } },
    output: { results_dir: '/work/results' },
  });
});

test.each([
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['2026-03-02T09:00:00+02:00', '2026-03-02T07:00:00.000Z'],
])('now %s is %s', (now, expected) => {
  expect(agentEvalConfigWith({ now }).now).toBe(expected);
});
