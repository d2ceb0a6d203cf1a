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
models: { agent: { model: openai/small }, user: { model: gemini/gemini-2.5-flash, temperature: 1 } }
agent: { system_prompt: prompt.md }
user: { stop_token: '<end>' }
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
      models: {
        agent: { provider: 'openai', model: 'gpt-4o-mini' },
        user: { provider: 'openai', model: 'gpt-3.5-turbo' },
      },
      agent: { system_prompt: null },
      user: { stop_token: '###STOP###' },
      concurrency: 8,
      success_reward: 1,
      now: null,
      output: { results_dir: at('results') },
    });
  });
});

const NO_AGENT = { models: { agent: undefined } };

describe('MODEL_AGENT and MODEL_SIM', () => {
  const environment = { MODEL_AGENT: 'openai/of-agent', MODEL_SIM: 'openai/of-user' };
  const modelsOf = (sections: Record<string, unknown>, flags: FlagValues = {}) => {
    const { agent, user } = agentEvalConfigWith(sections, { flags, environment }).models;
    return [agent.model, user === null || user === 'human' ? user : user.model];
  };

  test.each<[string, Record<string, unknown>, FlagValues, (string | null)[]]>([
    ['are the default', NO_AGENT, {}, ['of-agent', 'of-user']],
    ['fill a section without a model', { models: { agent: {}, user: {} } }, {}, ['of-agent', 'of-user']],
    ['give way to a file', { models: { agent: 'openai/x', user: 'openai/y' } }, {}, ['x', 'y']],
    [
      'give way to a provider without a name',
      { models: { user: { provider: 'simulated' } } },
      {},
      ['simulated', 'simulated'],
    ],
    ['give way to flags', NO_AGENT, { model: 'openai/x', model_role: ['user=openai/y'] }, ['x', 'y']],
    ['give way to a person', { models: { agent: undefined, user: 'human' } }, {}, ['of-agent', 'human']],
    ['give way to nobody', { models: { agent: undefined, user: null } }, {}, ['of-agent', null]],
    ['give way to flags of each role', NO_AGENT, { agent: 'openai/x', user: 'human' }, ['x', 'human']],
    [
      'give way to the sections of the roles',
      { ...NO_AGENT, agent: { lm: { model: 'openai/x' } }, user: { lm: 'openai/y' } },
      {},
      ['x', 'y'],
    ],
    ['give way to names of the roles', { ...NO_AGENT, agent: 'openai/x', user: 'human' }, {}, ['x', 'human']],
    ['give way to nobody by a flag', NO_AGENT, { model_role: ['user=none'] }, ['of-agent', null]],
  ])('%s', (_what, sections, flags, expected) => {
    expect(modelsOf(sections, flags)).toEqual(expected);
  });

  test('keep how the model is asked', () => {
    const { models } = agentEvalConfigWith({ models: { agent: { temperature: 1 } } }, { environment });
    expect(models.agent).toMatchObject({ model: 'of-agent', temperature: 1 });
  });

  test('a parameter may be set in the section of its role', () => {
    const { agent, models } = agentEvalConfigWith(
      { ...NO_AGENT, agent: { lm: 'openai/x', system_prompt: 'Help them.' } },
      { overrides: ['agent.lm.temperature=0'] },
    );
    expect(models.agent).toMatchObject({ model: 'x', temperature: 0 });
    expect(agent.system_prompt).toBe('Help them.\n');
  });

  test('MODEL_SIM may name a person', () => {
    expect(agentEvalConfigWith({}, { environment: { MODEL_SIM: 'human' } }).models.user).toBe('human');
  });

  test('may name models by their paths, and the server of each', () => {
    const own = {
      MODEL_AGENT: '/path/to/model',
      MODEL_AGENT_BASE_URL: 'http://127.0.0.1:9/v1',
      MODEL_SIM: 'openai/of-user',
    };
    const { models } = agentEvalConfigWith(NO_AGENT, { environment: own });
    expect(models.agent).toMatchObject({
      provider: 'openai',
      model: '/path/to/model',
      base_url: 'http://127.0.0.1:9/v1',
    });
    expect(models.user).toMatchObject({ model: 'of-user' });
    expect(models.user).not.toHaveProperty('base_url');
    const flags = { model: 'openai/x' };
    expect(agentEvalConfigWith({}, { environment: own, flags }).models.agent).not.toHaveProperty('base_url');
  });

  test('say nothing where they are empty', () => {
    expect(
      agentEvalConfigWith({}, { environment: { MODEL_AGENT: '', MODEL_SIM: ' ' } }).models.user,
    ).toBeNull();
  });
});

describe('a script or a recording may be named as a model', () => {
  const files = {
    'agent.yaml': '',
    'calls.jsonl': '',
    'it.yaml': 'dataset: .\nlm: scripted/agent.yaml\n',
  };
  const scripted = (at: (name: string) => string) => ({
    models: { agent: { provider: 'scripted', model: 'agent.yaml', script: at('agent.yaml') } },
  });

  test('in the environment, from the working folder', () => {
    const { folder, at } = evaluationFolder(files);
    const environment = { MODEL_AGENT: 'scripted/agent.yaml', MODEL_SIM: 'replay/./calls.jsonl' };
    const options = { flags: { datasets: ['.'] }, environment, workingFolder: folder };
    expect(loadConfig(agentEvalConfigs, null, options)).toMatchObject({
      models: { ...scripted(at).models, user: { provider: 'replay', recording: at('calls.jsonl') } },
    });
  });

  test('by a flag, in the place of another one and its file', () => {
    const { folder, at } = evaluationFolder({ ...files, 'other.yaml': '' });
    const config = loadConfig(agentEvalConfigs, at('it.yaml'), {
      flags: { model: 'scripted/../other.yaml', model_role: ['user=scripted/../agent.yaml'] },
      workingFolder: at('elsewhere'),
    });
    expect(config.models.agent.script).toBe(at('other.yaml'));
    expect(config.models.user).toMatchObject({ script: at('agent.yaml') });
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
    [
      { models: { agent: 'openai/gpt-4o-mini' } },
      { models: { agent: { provider: 'openai', model: 'gpt-4o-mini' } } },
    ],
    [{ models: { user: 'openai/gpt-3.5-turbo' } }, { models: { user: { model: 'gpt-3.5-turbo' } } }],
    [{ models: { user: 'none' } }, { models: { user: null } }],
    [{ models: { user: 'human' } }, { models: { user: 'human' } }],
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
      model: 'openai/small',
      model_role: ['user=gemini/gemini-2.5-flash'],
    };
    const overrides = [
      'agent.system_prompt=prompt.md',
      'models.user.temperature=1',
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
        model_role: ['user=gemini/gemini-2.5-pro'],
        rollouts: '1',
        results_dir: 'here',
      },
      workingFolder,
    });
    expect(config).toEqual({
      ...whole,
      datasets: [join(folder, 'elsewhere/bundle'), at('more.jsonl')],
      rollouts: 1,
      models: { ...whole.models, user: { ...(whole.models.user as object), model: 'gemini-2.5-pro' } },
      user: { stop_token: '<end>' },
      output: { ...whole.output, results_dir: join(workingFolder, 'here') },
    });
  });

  test('a model in the place of a person has the defaults of a model', () => {
    const { models, user } = agentEvalConfigWith(
      { models: { user: 'human' } },
      { flags: { model_role: ['user=simulated/x'] } },
    );
    expect(models.user).toMatchObject({ provider: 'simulated', max_attempts: 8 });
    expect(user).toEqual({ stop_token: '###STOP###' });
  });
});

describe('--set', () => {
  test.each<[string, Record<string, unknown>]>([
    ['lm=openai/x', { models: { agent: { model: 'x' } } }],
    ['models.user=human', { models: { user: 'human' } }],
    ['models.user=none', { models: { user: null } }],
    ['models.agent.temperature=1', { models: { agent: { temperature: 1 } } }],
    ['lm.temperature=1', { models: { agent: { temperature: 1 } } }],
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
    models: {
      agent: { provider: 'scripted', script: 'script.yaml' },
      user: { provider: 'replay', recording: 'script.yaml' },
    },
    agent: { system_prompt: 'prompt.md' },
  };
  const source = { source: 'it', folder, fallbackName: null, workingFolder: '/work', environment: {} };
  expect(resolveConfig(agentEvalConfigs, evaluation, source)).toMatchObject({
    name: basename(folder),
    datasets: [at('task.jsonl'), at('more.jsonl')],
    models: { agent: { script: at('script.yaml') }, user: { recording: at('script.yaml') } },
    agent: { system_prompt: 'Be kind.\n' },
    output: { results_dir: '/work/results' },
  });
});

test.each([
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['2026-03-02T09:00:00+02:00', '2026-03-02T07:00:00.000Z'],
])('now %s is %s', (now, expected) => {
  expect(agentEvalConfigWith({ now }).now).toBe(expected);
});
