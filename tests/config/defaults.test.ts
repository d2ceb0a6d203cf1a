import { describe, expect, test } from 'vitest';
import { configOf } from '../support/configs.js';

test('a config that says the least gets every default', () => {
  expect(configOf()).toEqual({
    name: 'run',
    runtime: {
      max_envs_to_visit: null,
      max_steps_per_episode: null,
      num_trials: 1,
      epochs: 1,
      early_stop_on_success: false,
      carry_memory_across_trials: true,
      memory_scope: 'sample',
      concurrency: 10,
      grain: 'auto',
    },
    dataset: {
      items: [{ question: 'q', answer: 'a' }],
      task_type: 'exact',
      env_options: {},
      input_field: 'question',
      target_field: 'answer',
      meta_fields: [],
      shuffle: false,
    },
    lm: {
      provider: 'simulated',
      model: 'simulated',
      temperature: 0.2,
      max_output_tokens: 2048,
      on_cut_off: 'judge',
      thinking_budget: null,
      timeout_sec: 120,
      max_reply_mb: 4,
      requests_per_second: null,
      max_attempts: 8,
      cache: false,
      simulation: { accuracy: 0.5, latency_ms: 0, error_rate: 0, reflection_gain: 0.15 },
    },
    models: { judge: null, embeddings: null },
    memory: { _type: 'history_list', max_length: 100 },
    agent: { type: 'history_agent', system_prompt: null, history_k: 10, feedback: 'full' },
    sandbox: { type: 'docker', memory_mb: 512, cpus: 1, pids: 64, output_kb: 64, tmpfs_mb: 64 },
    scorers: {},
    limits: {
      max_cost_usd: null,
      max_lm_calls: null,
      max_tokens: null,
      max_wall_seconds: null,
      stop_when: null,
    },
    metrics: { by: [], cluster: null, reducers: ['mean'] },
    output: {
      results_dir: '/work/results',
      save_memory_path: null,
      load_memory_path: null,
      log_level: 'INFO',
    },
    seed: 0,
  });
});

describe('who shares a memory where the config does not say', () => {
  test.each<[string, Record<string, unknown>]>([
    ['neither is there', {}],
    ['both are null', { agent: null, memory: null }],
    ['both say nothing', { agent: {}, memory: { _type: null }, runtime: { memory_scope: null } }],
    ['there are several trials', { runtime: { num_trials: 3 } }],
    ['a memory is loaded', { output: { load_memory_path: 's3://bucket/memory.json' } }],
  ])('nobody, where neither an agent nor a memory is named: %s', (_what, sections) => {
    expect(configOf(sections).runtime).toMatchObject({ memory_scope: 'sample', concurrency: 10 });
  });

  test.each<[string, Record<string, unknown>]>([
    ['an agent', { agent: { type: 'history_agent' } }],
    ['an agent of another kind', { agent: { type: 'reflexion_agent' } }],
    ['a field of the agent', { agent: { system_prompt: 'Be brief.' } }],
    ['a memory', { memory: { _type: 'history_list' } }],
    ['a field of the memory', { memory: { max_length: 3 } }],
  ])('all samples, where %s is named', (_what, sections) => {
    expect(configOf(sections).runtime.memory_scope).toBe('run');
    const overridden = Object.entries(sections).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    expect(configOf({}, { overrides: overridden }).runtime.memory_scope).toBe('run');
  });

  test('what is said holds, whatever is named', () => {
    expect(configOf({ runtime: { memory_scope: 'run' } }).runtime.memory_scope).toBe('run');
    const agent = { type: 'memory_agent' };
    expect(configOf({ runtime: { memory_scope: 'sample' }, agent }).runtime.memory_scope).toBe('sample');
  });

  test('a config with every default filled in means the same when it is read again', () => {
    for (const sections of [{}, { agent: { type: 'history_agent' } }, { runtime: { memory_scope: 'run' } }]) {
      const config = configOf(sections);
      expect(configOf({ ...config })).toEqual(config);
    }
  });
});

test('a reflexion agent gets every default of reflection_config, whole or in part', () => {
  const reflection = {
    enabled: true,
    mode: 'episode_end',
    system_prompt: null,
    max_tokens: null,
    strategy: 'reflexion',
    max_reflections: 3,
    reflect_on_success: false,
  };
  expect(configOf({ agent: { type: 'reflexion_agent' } }).agent).toEqual({
    type: 'reflexion_agent',
    system_prompt: null,
    history_k: 10,
    feedback: 'full',
    reflection_config: reflection,
  });
  const some = { mode: 'both', strategy: 'last_attempt', max_reflections: 1, max_tokens: 50 };
  expect(configOf({ agent: { type: 'reflexion_agent', reflection_config: some } }).agent).toMatchObject({
    reflection_config: { ...reflection, ...some },
  });
});

test.each([
  [1, undefined, 'full'],
  [2, undefined, 'outcome'],
  [2, 'full', 'full'],
  [1, 'outcome', 'outcome'],
])('with %i trials and agent.feedback %s the agent remembers the %s', (num_trials, feedback, remembered) => {
  const agent = { type: 'memory_agent', ...(feedback === undefined ? {} : { feedback }) };
  expect(configOf({ runtime: { num_trials }, agent }).agent.feedback).toBe(remembered);
});

/** Everything that a config may say, with values that are not the defaults. */
test.each<[string, Record<string, unknown>]>([
  [
    'runtime',
    {
      max_envs_to_visit: 5,
      max_steps_per_episode: 3,
      num_trials: 4,
      early_stop_on_success: true,
      carry_memory_across_trials: false,
      memory_scope: 'sample',
      concurrency: 99,
    },
  ],
  [
    'dataset',
    {
      hf_name: 'openai/gsm8k',
      config: 'main',
      split: 'test',
      task_type: 'mcq',
      env_class: 'MCQEnv',
      env_options: { tolerance: 0.1 },
      input_field: 'a.b',
      target_field: 'c',
      choices_field: ['d', 'e'],
      target_base: 1,
      target_match: 'any',
      shuffle_choices: true,
      id_field: 'metadata.ID',
      meta_fields: ['f'],
      prompt_template: '{a.b}',
      instruction_template: 'Answer: {question}',
      shuffle: true,
    },
  ],
  [
    'lm',
    {
      provider: 'openai',
      model: 'gpt',
      base_url: 'http://127.0.0.1:8000/v1',
      temperature: 0,
      top_p: 1,
      top_k: 1,
      max_output_tokens: 5,
      stop: ['\n', ' '],
      seed: -1,
      frequency_penalty: -2,
      presence_penalty: 2,
      thinking_budget: -1,
      response_format: { $ref: '#/$defs/x', $defs: { x: { enum: [null] } } },
      extra_body: { min_p: 0, stop_token_ids: [1], provider: { order: ['x'] } },
      extra_headers: { 'X-Title': 'Zürich', 'HTTP-Referer': 'https://lab.example' },
      timeout_sec: 1.5,
      requests_per_second: 0.5,
      max_attempts: 1,
      cache: true,
    },
  ],
  ['memory', { _type: 'history_list', max_length: 7 }],
  ['metrics', { by: ['category', 'level.first'], cluster: null, reducers: ['mode', 'pass_at_1'] }],
  ['limits', { max_cost_usd: 0.01, max_lm_calls: 1, max_tokens: 2, max_wall_seconds: 0.5 }],
  [
    'output',
    {
      results_dir: 's3://bucket/prefix',
      save_memory_path: '/m/new.json',
      load_memory_path: null,
      log_level: 'DEBUG',
    },
  ],
])('every field of %s is taken as it is written', (section, fields) => {
  expect(configOf({ [section]: fields })).toMatchObject({ [section]: fields });
});

test.each([
  ['gemini/gemini-2.5-flash', undefined, 'gemini', 'gemini-2.5-flash'],
  ['gemini-2.5-flash', undefined, 'gemini', 'gemini-2.5-flash'],
  ['openai/meta-llama/Llama-3-8B', undefined, 'openai', 'meta-llama/Llama-3-8B'],
  ['meta-llama/Llama-3-8B', 'openai', 'openai', 'meta-llama/Llama-3-8B'],
  ['anthropic/claude-sonnet-4-5', 'anthropic', 'anthropic', 'claude-sonnet-4-5'],
  ['simulated/demo', undefined, 'simulated', 'demo'],
])('lm.model %s with provider %s is the model of %s called %s', (model, provider, expected, name) => {
  const { lm } = configOf({ lm: { model, ...(provider === undefined ? {} : { provider }) } });
  expect([lm.provider, lm.model]).toEqual([expected, name]);
});

test('the memory’s kind may be called type or _type', () => {
  const agent = { type: 'dynamic_cheatsheet_agent' };
  for (const key of ['type', '_type']) {
    const { memory } = configOf({ memory: { [key]: 'history_list', max_length: 3 } });
    expect(memory).toEqual({ _type: 'history_list', max_length: 3 });
    expect(configOf({ agent, memory: { [key]: 'hybrid' } }).memory._type).toBe('hybrid');
  }
});

test('a user’s own agent keeps its own fields', () => {
  const agent = { type: 'mine', file: import.meta.filename, class_name: 'Mine', depth: 3 };
  expect(configOf({ agent }).agent).toEqual({
    ...agent,
    system_prompt: null,
    history_k: 10,
    feedback: 'full',
  });
});

test('the Dynamic Cheatsheet gets every default', () => {
  const { agent, memory } = configOf({ agent: { type: 'dynamic_cheatsheet_agent' } });
  expect(agent).toEqual({
    type: 'dynamic_cheatsheet_agent',
    system_prompt: null,
    history_k: 0,
    feedback: 'full',
    mode: 'cumulative',
    retrieve_top_k: 3,
    use_code_execution: false,
    code_timeout_sec: 3,
    max_code_rounds: 3,
    curator_sees_feedback: false,
    curator_max_tokens: 4096,
    generator_template: null,
    cheatsheet_template: null,
  });
  expect(memory).toEqual({ _type: 'cheatsheet', max_chars: 20_000 });
});

test.each<[string, Record<string, unknown>]>([
  ['history_list', {}],
  ['history_list', { type: 'reflexion_agent' }],
  ['cheatsheet', { type: 'dynamic_cheatsheet_agent' }],
  [
    'cheatsheet',
    { type: 'dynamic_cheatsheet_agent', mode: 'cumulative', history_k: 0, use_retrieval: false },
  ],
  ['cheatsheet', { type: 'dynamic_cheatsheet_agent', mode: 'empty_sheet' }],
  ['hybrid', { type: 'dynamic_cheatsheet_agent', mode: 'retrieval_synthesis' }],
  ['hybrid', { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' }],
  ['hybrid', { type: 'dynamic_cheatsheet_agent', mode: 'full_history' }],
  ['hybrid', { type: 'dynamic_cheatsheet_agent', use_retrieval: true }],
  ['hybrid', { type: 'dynamic_cheatsheet_agent', mode: 'empty_sheet', history_k: 1 }],
])('the memory is a %s where the config names none and the agent is %j', (_type, agent) => {
  expect(configOf({ agent }).memory).toMatchObject({ _type });
  // A field of the memory is no name.
  const field = _type === 'history_list' ? { max_length: 7 } : { max_chars: 777 };
  expect(configOf({ agent, memory: field }).memory).toMatchObject({ _type, ...field });
});

test('a memory of experiences gets every default of its retrieval', () => {
  const agent = { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' };
  const retrieval = { backend: 'bm25', correct_only: false };
  expect(configOf({ agent, memory: { type: 'experience_db' } }).memory).toEqual({
    _type: 'experience_db',
    retrieval,
  });
  expect(configOf({ agent }).memory).toEqual({ _type: 'hybrid', max_chars: 20_000, retrieval });
});

test('every field of the agent, the memory and the sandbox is taken as it is written', () => {
  const sections = {
    agent: {
      type: 'dynamic_cheatsheet_agent',
      system_prompt: 'Be brief.',
      history_k: 5,
      feedback: 'outcome',
      mode: 'cumulative',
      use_retrieval: true,
      retrieve_top_k: 7,
      use_code_execution: true,
      code_timeout_sec: 0.5,
      max_code_rounds: 1,
      curator_sees_feedback: true,
      curator_max_tokens: 99,
      generator_template: '{question} {cheatsheet} {examples}',
      cheatsheet_template: '{answer} {feedback}',
    },
    memory: {
      _type: 'hybrid',
      max_chars: 100,
      retrieval: {
        backend: 'embedding',
        model: 'openai/text-embedding-3-small',
        base_url: 'http://127.0.0.1:8000/v1',
        dimensions: 256,
        correct_only: true,
      },
    },
    sandbox: { type: 'process', memory_mb: 32, cpus: 0.5, pids: 8, output_kb: 1, tmpfs_mb: 1 },
  };
  const config = configOf(sections);
  expect(config).toMatchObject(sections);
  // The resolved config is a config, and means the same.
  expect(configOf(structuredClone(config) as unknown as Record<string, unknown>)).toEqual(config);
});

test.each(['docker', 'process'])('sandbox: %s is short for its type', (type) => {
  expect(configOf({ sandbox: type }).sandbox).toEqual({
    ...{ type, memory_mb: 512, cpus: 1, pids: 64, output_kb: 64, tmpfs_mb: 64 },
  });
  expect(configOf({}, { overrides: [`sandbox=${type}`] }).sandbox.type).toBe(type);
});

test('the ablation of a config is one override away', () => {
  const config = {
    agent: { type: 'dynamic_cheatsheet_agent', use_code_execution: true },
    memory: { _type: 'hybrid' },
  };
  for (const mode of ['empty_sheet', 'full_history', 'dynamic_retrieval', 'retrieval_synthesis'])
    expect(configOf(config, { overrides: [`agent.mode=${mode}`] }).agent).toMatchObject({ mode });
});

test('a user’s own agent may have any memory', () => {
  const agent = { type: 'mine', file: import.meta.filename };
  for (const type of ['history_list', 'cheatsheet', 'experience_db', 'hybrid'])
    expect(configOf({ agent, memory: { type } }).memory._type).toBe(type);
});
