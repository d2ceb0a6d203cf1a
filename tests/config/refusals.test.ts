import { describe, expect, test } from 'vitest';
import { configOf, MINIMAL, refusal } from '../support/configs.js';

const items = MINIMAL.dataset.items;
const CLAUDE = { model: 'anthropic/claude-sonnet-4-5' };

/** A bad section, the field that the refusal names, and what its message says. */
const refused: [sections: Record<string, unknown>, field: string, message: string][] = [
  // Unknown keys.
  [{ runtimes: {} }, 'runtimes', "unknown field 'runtimes', did you mean 'runtime'?"],
  [{ runtime: { num_trails: 3 } }, 'runtime.num_trails', "did you mean 'num_trials'?"],
  [
    { limits: { cheese: 1 } },
    'limits.cheese',
    'allowed: max_cost_usd, max_lm_calls, max_tokens, max_wall_seconds',
  ],
  [{ lm: { ...MINIMAL.lm, top_q: 1 } }, 'lm.top_q', "unknown field 'top_q', did you mean 'top_"],
  [{ agent: { type: 'memory_agent', reflection_config: {} } }, 'agent.reflection_config', 'unknown field'],
  [
    { agent: { type: 'reflexion_agent', reflection_config: { modes: 'both' } } },
    'agent.reflection_config.modes',
    "did you mean 'mode'?",
  ],
  [{ memory: { _type: 'history_list', size: 1 } }, 'memory.size', 'allowed: _type, max_length'],
  [{ memory: { _type: 'history_list', type: 'list' } }, 'memory.type', "unknown field 'type'"],
  // Wrong types.
  [{ runtime: { num_trials: '3' } }, 'runtime.num_trials', 'must be a number, not "3"'],
  [{ runtime: { num_trials: 2.5 } }, 'runtime.num_trials', 'must be a whole number, not 2.5'],
  [{ runtime: { early_stop_on_success: 'yes' } }, 'runtime.early_stop_on_success', 'must be true or false'],
  [{ runtime: [1] }, 'runtime', 'must be a mapping, not [1]'],
  [{ output: 'here' }, 'output', 'must be a mapping'],
  [{ name: 5 }, 'name', 'must be a string, not 5'],
  [{ dataset: { items: 'x' } }, 'dataset.items', 'must be a list'],
  [{ dataset: { items: [3] } }, 'dataset.items[0]', 'must be a mapping, not 3'],
  [{ dataset: { items, choices_field: 3 } }, 'dataset.choices_field', 'must be a string or a list, not 3'],
  [{ agent: 'history_agent' }, 'agent', 'must be a mapping, not "history_agent"'],
  [{ memory: 'history_list' }, 'memory', 'must be a mapping'],
  [{ lm: 3 }, 'lm', 'must be a mapping'],
  [{ models: { agent: 'gemini/x' } }, 'models.agent', 'stands beside lm, which is short for it'],
  [{ models: { writer: 'gemini/x' } }, 'models.writer', 'unknown field'],
  [{ models: { judge: 'gemini/x' } }, 'models.judge', 'no scorer asks it'],
  [{ models: { embeddings: 'gemini/x' } }, 'models.embeddings', 'nothing asks it'],
  [
    { models: { embeddings: 'anthropic/x' } },
    'models.embeddings.model',
    'must be openai/NAME, gemini/NAME or of another provider of vectors',
  ],
  // Out of range.
  [{ lm: { ...MINIMAL.lm, logprobs: 21 } }, 'lm.logprobs', 'must be at most 20, not 21'],
  [{ runtime: { num_trials: 0 } }, 'runtime.num_trials', 'must be more than 0, not 0'],
  [{ runtime: { concurrency: 10_001 } }, 'runtime.concurrency', 'must be at most 10000, not 10001'],
  [{ lm: { ...MINIMAL.lm, temperature: 2.1 } }, 'lm.temperature', 'must be at most 2, not 2.1'],
  [{ lm: { ...MINIMAL.lm, timeout_sec: 0 } }, 'lm.timeout_sec', 'must be more than 0'],
  [{ lm: { ...MINIMAL.lm, thinking_budget: -2 } }, 'lm.thinking_budget', 'must be at least -1'],
  [{ lm: { ...MINIMAL.lm, simulation: { accuracy: 2 } } }, 'lm.simulation.accuracy', 'must be at most 1'],
  [{ lm: { ...MINIMAL.lm, simulation: { error_rate: 1 } } }, 'lm.simulation.error_rate', 'less than 1'],
  [{ limits: { max_cost_usd: 0 } }, 'limits.max_cost_usd', 'must be more than 0, not 0'],
  [{ limits: { max_lm_calls: -1 } }, 'limits.max_lm_calls', 'must be more than 0, not -1'],
  [{ seed: -1 }, 'seed', 'must be at least 0, not -1'],
  [{ seed: 2 ** 32 }, 'seed', 'must be at most 4294967295'],
  [{ name: '' }, 'name', 'must have at least 1 character, not ""'],
  [{ dataset: { items: [] } }, 'dataset.items', 'must have at least 1 entry, not []'],
  // Words that are none of the allowed ones.
  [
    { runtime: { memory_scope: 'all' } },
    'runtime.memory_scope',
    '"all" is not allowed; allowed: run, sample',
  ],
  [{ dataset: { items, task_type: 'math' } }, 'dataset.task_type', 'allowed: exact, numeric, mcq, custom'],
  [{ output: { log_level: 'info' } }, 'output.log_level', 'allowed: DEBUG, INFO, WARN, ERROR'],
  [
    { agent: { type: 'nope' } },
    'agent.type',
    '"nope" is not allowed; allowed: memory_agent, history_agent, reflexion_agent',
  ],
  [{ memory: { _type: 'vector_db' } }, 'memory._type', '"vector_db" is not allowed; allowed: history_list'],
  [{ agent: { feedback: 'none' } }, 'agent.feedback', 'allowed: full, outcome'],
  [
    { agent: { type: 'reflexion_agent', reflection_config: { strategy: 'retry' } } },
    'agent.reflection_config.strategy',
    'allowed: none, last_attempt, reflexion, last_attempt_and_reflexion',
  ],
  // The model.
  [{ lm: {} }, 'lm.model', 'give a model as provider/name'],
  [{ lm: { model: 'gpt-4o' } }, 'lm.model', 'write e.g. openai/gpt-4o, or set lm.provider'],
  [{ lm: { model: 'openai/' } }, 'lm.model', 'does not begin with a provider'],
  [{ lm: { provider: 'openai' } }, 'lm.model', 'provider openai needs a model'],
  [{ lm: { provider: 'nobody', model: 'x' } }, 'lm.provider', 'allowed: gemini, openai, anthropic'],
  [{ lm: { model: 'openai/x', base_url: 'nowhere' } }, 'lm.base_url', 'is not a valid url'],
  [{ lm: { provider: 'scripted' } }, 'lm.script', 'needs script'],
  [{ lm: { provider: 'replay' } }, 'lm.recording', 'needs recording'],
  [{ lm: { model: 'openai/x', script: 's.yaml' } }, 'lm.script', 'belongs to provider scripted'],
  [{ lm: { ...MINIMAL.lm, base_url: 'http://x.test' } }, 'lm.base_url', 'calls no server'],
  // Options that a provider does not have, or values of them that it does not know.
  ...(['logprobs', 'seed', 'frequency_penalty', 'presence_penalty'] as const).map(
    (name): [Record<string, unknown>, string, string] => [
      { lm: { ...CLAUDE, [name]: 1 } },
      `lm.${name}`,
      "Anthropic's API has no such option; leave it out",
    ],
  ),
  [{ lm: { ...CLAUDE, top_p: 0.9 } }, 'lm.top_p', 'write temperature: null beside it'],
  [{ lm: { ...CLAUDE, stop: ['END', '\n'] } }, 'lm.stop', 'no text of white space alone'],
  [{ lm: { model: 'gemini-x', stop: [...'abcdef'] } }, 'lm.stop', 'takes at most 5, and these are 6'],
  [{ lm: { model: 'gemini-x', seed: 2 ** 31 } }, 'lm.seed', 'of 32 bits, at most 2147483647'],
  [
    { lm: { ...CLAUDE, reasoning_effort: 'none' } },
    'lm.reasoning_effort',
    'knows the efforts low, medium, high, xhigh, max; thinking_budget: 0 turns thinking off',
  ],
  [
    { lm: { model: 'gemini-x', reasoning_effort: 'max' } },
    'lm.reasoning_effort',
    'minimal, low, medium, high',
  ],
  [
    { lm: { model: 'openai/x', reasoning_effort: 'low', thinking_budget: 0 } },
    'lm.reasoning_effort',
    'give one of thinking_budget and reasoning_effort, not both',
  ],
  [{ lm: { ...MINIMAL.lm, reasoning_effort: 'huge' } }, 'lm.reasoning_effort', 'allowed: none, minimal, low'],
  [{ lm: { ...MINIMAL.lm, top_p: 1.1 } }, 'lm.top_p', 'must be at most 1, not 1.1'],
  [{ lm: { ...MINIMAL.lm, top_k: 0 } }, 'lm.top_k', 'must be more than 0, not 0'],
  [{ lm: { ...MINIMAL.lm, seed: 1.5 } }, 'lm.seed', 'must be a whole number, not 1.5'],
  [{ lm: { ...MINIMAL.lm, presence_penalty: 2.5 } }, 'lm.presence_penalty', 'must be at most 2, not 2.5'],
  [{ lm: { ...MINIMAL.lm, stop: [] } }, 'lm.stop', 'must have at least 1 entry, not []'],
  [{ lm: { ...MINIMAL.lm, stop: '' } }, 'lm.stop', 'must have at least 1 character, not ""'],
  [{ lm: { ...MINIMAL.lm, stop: ['a', 3] } }, 'lm.stop[1]', 'must be a string, not 3'],
  [{ lm: { ...MINIMAL.lm, stop: 3 } }, 'lm.stop', 'must be a string or a list, not 3'],
  // The format of replies.
  [{ lm: { ...MINIMAL.lm, response_format: 3 } }, 'lm.response_format', 'a string or a mapping, not 3'],
  [{ lm: { ...MINIMAL.lm, response_format: {} } }, 'lm.response_format', 'this is no JSON Schema'],
  [
    { lm: { ...MINIMAL.lm, response_format: { type: 'json_schema', json_schema: { schema: {} } } } },
    'lm.response_format',
    'write the JSON Schema itself, which stands in json_schema.schema here',
  ],
  [
    { lm: { ...MINIMAL.lm, response_format: { type: 'json_object' } } },
    'lm.response_format',
    'any JSON object is {type: object}',
  ],
  [
    { lm: { ...MINIMAL.lm, response_format: 'no.json' } },
    'lm.response_format',
    'no file at /configs/no.json',
  ],
  [{ lm: { ...MINIMAL.lm, response_format: 's3://b/x.json' } }, 'lm.response_format', 'file of this machine'],
  [
    { lm: { ...CLAUDE, response_format: { type: 'object' } } },
    'lm.response_format',
    'wants additionalProperties: false in every object, and the outermost has none',
  ],
  [
    {
      lm: {
        ...CLAUDE,
        response_format: {
          type: 'object',
          properties: { steps: { type: 'array', items: { type: 'object' } } },
          additionalProperties: false,
        },
      },
    },
    'lm.response_format',
    'and properties.steps.items has none',
  ],
  // Further fields and headers of a request.
  ...(
    [
      ['openai/x', { temperature: 1 }, "'temperature' is no further field: write it as temperature"],
      ['openai/x', { max_completion_tokens: 9 }, 'write it as max_output_tokens'],
      ['openai/x', { reasoning_effort: 'low' }, 'write it as reasoning_effort'],
      ['openai/x', { model: 'y' }, "'model' is no further field: name the model in model"],
      ['openai/x', { messages: [] }, 'Reprise writes it, from the messages and tools of a call'],
      ['openai/x', { stream: true }, 'one reply at a time'],
      ['openai/x', { n: 3 }, 'one reply at a time'],
      ['anthropic/x', { stop_sequences: ['x'] }, 'write it as stop'],
      ['anthropic/x', { thinking: { budget_tokens: 9 } }, "'thinking.budget_tokens' is no further field"],
      ['anthropic/x', { output_config: { effort: 'low' } }, 'write it as reasoning_effort'],
      ['gemini/x', { generationConfig: { topP: 1 } }, 'write it as top_p'],
      ['gemini/x', { generation_config: { top_p: 1 } }, 'write it as top_p'],
      ['gemini/x', { generationConfig: { thinkingConfig: { thinkingBudget: 9 } } }, 'as thinking_budget'],
      ['gemini/x', { generationConfig: 3 }, "'generationConfig.candidateCount' is no further field"],
    ] as const
  ).map(([model, extra_body, message]): [Record<string, unknown>, string, string] => [
    { lm: { model, extra_body } },
    'lm.extra_body',
    message,
  ]),
  ...(
    [
      [{ 'Content-Type': 'text/plain' }, "'Content-Type' is set by Reprise; leave it out"],
      [{ 'idempotency-key': 'x' }, "'idempotency-key' is set by Reprise"],
      [{ 'two words': 'x' }, "'two words' is no name of a header"],
      [{ 'X-Lines': 'a\nb' }, "the value of 'X-Lines' has line ends"],
      [{ 'X-Name': '東京' }, 'characters outside of Latin-1'],
      [{ 'X-Home': '$HOME' }, 'stand for themselves in a config'],
    ] as const
  ).map(([extra_headers, message]): [Record<string, unknown>, string, string] => [
    { lm: { model: 'openai/x', extra_headers } },
    'lm.extra_headers',
    message,
  ]),
  [{ lm: { ...MINIMAL.lm, extra_headers: { 'X-A': 3 } } }, 'lm.extra_headers.X-A', 'must be a string, not 3'],
  // The dataset.
  [{ dataset: {} }, 'dataset', 'exactly one of items, dataset_path, hf_name and run (there is none)'],
  [{ dataset: { items, hf_name: 'x' } }, 'dataset', 'there are items and hf_name'],
  [{ dataset: { run: 'r', config: 'main' } }, 'dataset.config', 'the tasks of another run stay'],
  [{ dataset: { run: 'r', split: 'test' } }, 'dataset.split', 'the tasks of another run stay'],
  [{ dataset: { run: 'r', select: { random: 1 } } }, 'dataset.select', 'the tasks of another run stay'],
  [{ dataset: { run: 'r', shuffle: true } }, 'dataset.shuffle', 'the tasks of another run stay'],
  [{ dataset: { items, task_type: 'custom' } }, 'dataset.env_class', 'task_type custom needs an env_class'],
  [{ dataset: { items, env_file: 'e.ts' } }, 'dataset.env_class', 'env_file needs env_class'],
  [{ dataset: { items, choices_field: 'c', choices: ['a', 'b'] } }, 'dataset.choices', 'not both'],
  [{ dataset: { items, choices: ['a'] } }, 'dataset.choices', 'at least 2 entries'],
  [{ dataset: { items, target_base: 2 } }, 'dataset.target_base', '0, 1'],
  [{ dataset: { items, target_match: 'some' } }, 'dataset.target_match', 'any'],
  [
    { dataset: { items, target_match: 'all' } },
    'dataset.target_match',
    'all is for task_type mcq and numeric',
  ],
  [{ dataset: { items, choices_field: ['a'] } }, 'dataset.choices_field', 'at least 2 entries'],
  [{ dataset: { items, instruction_template: 'x' } }, 'dataset.instruction_template', '{question}'],
  [
    { dataset: { items, instruction_template: '{{question}}' } },
    'dataset.instruction_template',
    'the template must contain {question}',
  ],
  [
    { dataset: { items, instruction_template: '{question} In \\boxed{answer}.' } },
    'dataset.instruction_template',
    'the placeholder {answer} is not known (there is {question}); write {{answer}} for the braces themselves',
  ],
  [
    { dataset: { items, instruction_template: '{question} as {"a": 1}' } },
    'dataset.instruction_template',
    'write {{"a": 1}} for the braces themselves',
  ],
  ...['prompt_template', 'system'].map((field): (typeof refused)[number] => [
    { dataset: { items, [field]: 'a { b' } },
    `dataset.${field}`,
    "'{' at character 3 of the template is no placeholder; write {{ for the brace itself",
  ]),
  [
    { dataset: { items, few_shot: { count: 1, template: 'Q: {question}' } } },
    'dataset.few_shot.template',
    'the template must contain {answer}',
  ],
  [
    { dataset: { items, few_shot: { count: 1, answer_template: '}' } } },
    'dataset.few_shot.answer_template',
    'write }} for the brace itself',
  ],
  // Memories.
  [{ memory: { type: 'vector_db' } }, 'memory._type', '"vector_db" is not allowed; allowed: history_list'],
  [{ memory: { _type: 'cheatsheet', max_length: 3 } }, 'memory.max_length', 'unknown field'],
  [{ memory: { _type: 'cheatsheet', retrieval: {} } }, 'memory.retrieval', 'unknown field'],
  [{ memory: { _type: 'experience_db', max_chars: 300 } }, 'memory.max_chars', 'unknown field'],
  [{ memory: { _type: 'cheatsheet', max_chars: 99 } }, 'memory.max_chars', 'must be at least 100, not 99'],
  [
    { memory: { _type: 'hybrid', retrieval: { backend: 'lexical' } } },
    'memory.retrieval.backend',
    'allowed: bm25, embedding',
  ],
  [
    { memory: { _type: 'hybrid', retrieval: { backend: 'embedding' } } },
    'memory.retrieval.model',
    'openai/NAME or gemini/NAME',
  ],
  [
    { memory: { _type: 'hybrid', retrieval: { backend: 'embedding', model: 'anthropic/x' } } },
    'memory.retrieval.model',
    'openai/NAME or gemini/NAME',
  ],
  [
    { memory: { _type: 'hybrid', retrieval: { model: 'gemini/x' } } },
    'memory.retrieval.model',
    'belongs to backend embedding, but the backend is bm25',
  ],
  [
    { memory: { _type: 'hybrid', retrieval: { only_correct: true } } },
    'memory.retrieval.only_correct',
    'allowed: backend, model, base_url, dimensions, correct_only',
  ],
  // The sandbox.
  [{ sandbox: 'podman' }, 'sandbox.type', '"podman" is not allowed; allowed: docker, process'],
  [{ sandbox: { memory_mb: 16 } }, 'sandbox.memory_mb', 'must be at least 32, not 16'],
  [{ sandbox: { cpus: 0 } }, 'sandbox.cpus', 'must be more than 0'],
  [{ sandbox: { timeout_sec: 3 } }, 'sandbox.timeout_sec', 'unknown field'],
  // A user's agent.
  [{ agent: { type: 'dynamic_cheatsheet_agent', file: 'a.ts' } }, 'agent.type', 'is a built-in agent'],
  [{ agent: { type: 'history_agent', file: 'a.ts' } }, 'agent.type', 'is a built-in agent'],
  [{ agent: { file: 'a.ts', type: '' } }, 'agent.type', 'at least 1'],
  // A user's memory.
  [{ memory: { type: 'own' } }, 'memory.file', 'is missing'],
  [{ memory: { type: 'own', file: 'nowhere.ts' } }, 'memory.file', 'there is no file at'],
  [{ memory: { type: 'own', file: 'a.ts', max_length: 3 } }, 'memory.max_length', 'unknown field'],
];

test.each(refused)('%j is refused at %s: %s', (sections, field, message) => {
  const error = refusal(() => configOf(sections));
  expect(error.message).toContain(message);
  expect(error.message.startsWith('run.yaml: ')).toBe(true);
  expect(error.field).toBe(field);
});

test('everything that is wrong is said at once, a line each', () => {
  const { message } = refusal(() => configOf({ seed: 'x', runtime: { num_trials: 0, colour: 1 } }));
  const lines = message.split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe('run.yaml:');
  for (const field of ['seed', 'runtime.num_trials', 'runtime.colour']) {
    expect(lines.filter((line) => line.startsWith(`  ${field}: `))).toHaveLength(1);
  }
});

test('every option that a provider does not have is said at once', () => {
  const lm = { ...CLAUDE, top_p: 0.9, seed: 1, extra_body: { model: 'x' }, extra_headers: { Host: 'x' } };
  const { message } = refusal(() => configOf({ lm }));
  for (const name of ['top_p', 'seed', 'extra_body', 'extra_headers']) {
    expect(message).toMatch(new RegExp(`^  lm\\.${name}: `, 'm'));
  }
});

describe('credentials', () => {
  const key = 'sk-abcdefghijklmnopqrstuvwx';
  test.each<[Record<string, unknown>, string]>([
    [{ lm: { model: 'openai/x', api_key: 'anything' } }, 'lm.api_key'],
    [{ lm: { model: 'openai/x', apiKey: 'anything' } }, 'lm.apiKey'],
    [{ api_token: 'x' }, 'api_token'],
    [{ output: { aws_secret_access_key: 'x' } }, 'output.aws_secret_access_key'],
    [{ dataset: { items, env_options: { db: { password: 'x' } } } }, 'dataset.env_options.db.password'],
    [{ dataset: { items: [{ question: key }] } }, 'dataset.items[0].question'],
    [{ name: key }, 'name'],
    [{ agent: { system_prompt: ` ${key}\n` } }, 'agent.system_prompt'],
    [{ name: `AIza${'x'.repeat(35)}` }, 'name'],
    [{ name: `hf_${'x'.repeat(34)}` }, 'name'],
    [{ name: `AKIA${'X'.repeat(16)}` }, 'name'],
    [{ name: `ghp_${'x'.repeat(36)}` }, 'name'],
    [{ lm: { model: 'openai/x', base_url: 'https://me:secret@host/v1' } }, 'lm.base_url'],
    [{ lm: { model: 'openai/x', base_url: 'https://host/v1?key=anything' } }, 'lm.base_url'],
    [{ lm: { model: 'openai/x', base_url: 'https://host/v1?v=1&api-key=anything' } }, 'lm.base_url'],
    [{ lm: { model: 'openai/x', base_url: 'https://host/v1?subscription-key=anything' } }, 'lm.base_url'],
    [{ lm: { model: 'openai/x', base_url: 'https://host/v1#access_token=anything' } }, 'lm.base_url'],
    [{ lm: { model: 'openai/x', base_url: `https://host/v1?v=${key}` } }, 'lm.base_url'],
    [{ lm: { model: 'openai/x', base_url: `https://host/v1?${key}` } }, 'lm.base_url'],
    [{ lm: { model: 'openai/x', base_url: `https://host/${key}/v1` } }, 'lm.base_url'],
    ...[
      ['Authorization', 'anything'],
      ['X-Api-Key', 'anything'],
      ['Ocp-Apim-Subscription-Key', 'anything'],
      ['Helicone-Auth', 'anything'],
      ['Cookie', 'anything'],
      ['X-Who', 'Basic anything'],
      ['X-Who', 'bearer anything'],
      ['X-Who', key],
      ['X-Who', 'eyJhbGciOiJub25lIn0.eyJhbnl0aGluZyI6MX0.'],
    ].map(([name = '', value]): [Record<string, unknown>, string] => [
      { lm: { model: 'openai/x', extra_headers: { [name]: value } } },
      `lm.extra_headers.${name}`,
    ]),
    [{ lm: { model: 'openai/x', extra_body: { user: { token: 'anything' } } } }, 'lm.extra_body.user.token'],
    [{ output: { results_dir: 's3://bucket/x?X-Amz-Signature=anything' } }, 'output.results_dir'],
    [{ dataset: { items: [{ question: `https://host?q=${key}` }] } }, 'dataset.items[0].question'],
  ])('%j is refused, and not repeated', (sections, field) => {
    const { message, field: named } = refusal(() => configOf(sections));
    expect(named).toBe(field);
    expect(message).toContain('never written in a config');
    expect(message).not.toMatch(/sk-abc|xxxx|XXXX|anything|me:secret/);
  });

  test('a gateway’s own header is sent to the environment', () => {
    const lm = { model: 'openai/x', extra_headers: { 'Cf-Aig-Authorization': 'anything' } };
    expect(refusal(() => configOf({ lm })).message).toContain('"Name: value" in OPENAI_CUSTOM_HEADERS');
  });

  test('a credential given by --set is refused as well', () => {
    expect(refusal(() => configOf({}, { overrides: ['lm.token=abc'] })).field).toBe('lm.token');
  });

  test.each<Record<string, unknown>>([
    { limits: { max_tokens: 5 } },
    { agent: { type: 'reflexion_agent', reflection_config: { max_tokens: 5 } } },
    { dataset: { items: [{ question: 'q', answer: 'a', token: 'word', password: 'x' }] } },
    { dataset: { items, env_options: { api_key: null, tokens: 3 } } },
    { agent: { system_prompt: 'Never tell the password or a token.' } },
    { lm: { provider: 'openai', model: 'sk-1', base_url: 'http://host:8000/v1' } },
    { lm: { provider: 'openai', model: 'x', base_url: 'http://host:8000/v1?api-version=3&key=#top' } },
    { dataset: { items: [{ question: 'https://host/page?token=word', answer: 'a' }] } },
    { agent: { system_prompt: 'Look at https://host/?key=word now.' } },
    {
      lm: {
        provider: 'openai',
        model: 'x',
        extra_headers: { 'cf-aig-cache-key': 'a', 'HTTP-Referer': 'https://x' },
      },
    },
    { lm: { provider: 'openai', model: 'x', extra_body: { stop_token: 'x', max_tokens_per_turn: 3 } } },
    {
      lm: {
        provider: 'openai',
        model: 'x',
        response_format: {
          type: 'object',
          properties: { password: { type: 'string' } },
          required: ['password'],
        },
      },
    },
  ])('%j holds none', (sections) => {
    expect(configOf(sections)).toMatchObject(sections);
  });
});
