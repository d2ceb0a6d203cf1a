import { describe, expect, test } from 'vitest';
import type { GenerateParameters } from '../../src/contracts/language-model.js';
import { adaptDialect, type Dialect, dialectOf, inDialect } from '../../src/language-models/dialect.js';
import type { ProviderKind } from '../support/fake-providers/behaviours.js';
import { failure, fake, modelFor, request } from './support.js';

const refusal = (message: string, status = 400, param?: string) =>
  Object.assign(new Error(message), {
    status,
    error: { message },
    ...(param === undefined ? {} : { param }),
  });

const EVERY_FIELD = dialectOf('openai');

/** What a server's refusal changes, of a request that has every field, or all but some. */
function changed(error: Error, without: (keyof Dialect)[] = []): string | null {
  const next = adaptDialect(EVERY_FIELD, error, (field) => !without.includes(field));
  if (next === undefined) return null;
  return (Object.keys(next) as (keyof Dialect)[]).find((field) => next[field] !== EVERY_FIELD[field]) ?? null;
}

describe('a refusal is understood in the words of', () => {
  test.each<[string, string | null, string, number?, string?]>([
    [
      'OpenAI',
      'temperature',
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    ],
    ['Anthropic (Roo-Code#12162)', 'temperature', '`temperature` is deprecated for this model.'],
    [
      'LiteLLM',
      'temperature',
      "gpt-5 models don't support temperature=0.2. Only temperature=1 is supported.",
    ],
    ['Moonshot', 'temperature', 'invalid temperature: only 1 is allowed for this model'],
    [
      'pydantic',
      'temperature',
      '[{"loc":["body","temperature"],"msg":"Extra inputs are not permitted"}]',
      422,
    ],
    [
      'Anthropic of two',
      'temperature',
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    ],
    ['OpenAI', 'top_p', "Unsupported parameter: 'top_p' is not supported with this model."],
    ['OpenAI', 'top_k', 'Unrecognized request argument supplied: top_k'],
    ['OpenAI', 'seed', "Unsupported parameter: 'seed' is not supported with this model."],
    ['Gemini', 'frequency_penalty', 'Penalty is not enabled for models/gemini-2.5-flash'],
    ['OpenAI', 'presence_penalty', "Unsupported parameter: 'presence_penalty' is not supported."],
    ['Gemini', 'logprobs', 'Logprobs is not enabled for models/gemini-2.5-flash'],
    ['OpenAI', 'logprobs', "'logprobs' is not supported with this model."],
    [
      'pydantic',
      'tokenIds',
      '[{"loc":["body","return_token_ids"],"msg":"Extra inputs are not permitted"}]',
      422,
    ],
    [
      'OpenRouter (pi#4316)',
      'thinking_budget',
      'Reasoning is mandatory for this endpoint and cannot be disabled.',
    ],
    [
      'xAI',
      'thinking_budget',
      'Model grok-4.20-0309-non-reasoning does not support parameter reasoningEffort.',
    ],
    ['Gemini', 'thinking_budget', 'Budget 0 is invalid. This model only works in thinking mode.'],
    ['Vertex AI', 'thinking_budget', 'The model does not support setting thinking_budget to 0'],
    ['Anthropic', 'thinking_budget', '"thinking.type.enabled" is not supported for this model.'],
    [
      'OpenAI by its param',
      'thinking_budget',
      "Invalid value: 'none'. Supported values are: 'low', 'medium'.",
      400,
      'reasoning_effort',
    ],
    ['Gemma on vLLM (vllm#2964)', 'system', 'System role not supported'],
    ['llama.cpp', 'system', 'Jinja Exception: System role not supported', 500],
    ['o1-mini', 'system', "Unsupported value: 'messages[0].role' does not support 'system' with this model."],
    ['Gemini API', 'system', 'Developer instruction is not enabled for models/gemma-3-27b-it'],
    ['a chat template', 'system', 'Conversation roles must alternate user/assistant/user/assistant/...'],
    [
      'OpenAI of the limit',
      'tokenField',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
    ['OpenAI of stop', null, "Unsupported parameter: 'stop' is not supported with this model."],
    [
      'OpenAI of a schema',
      null,
      "Invalid schema for response_format 'reply': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    ],
    [
      'Anthropic of a schema',
      null,
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    // What is the config's to mend, or another field's to give way for, is said to the user.
    ['a range', null, 'temperature must be between 0 and 1'],
    [
      'pydantic of a range',
      null,
      '[{"loc":["body","temperature"],"msg":"Input should be less than or equal to 2"}]',
      422,
    ],
    ['a budget out of range', null, 'The thinking budget 12 is out of range: it must be at least 128'],
    ['too large a limit', null, "'max_tokens' or 'max_completion_tokens' is too large: 2048."],
    [
      'tools beside an effort',
      null,
      'Function tools with reasoning_effort are not supported for this model.',
    ],
    [
      'OpenAI of a flagged prompt, with a link to a page on reasoning',
      null,
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting',
    ],
    [
      "a model's name",
      null,
      'Invalid request to Qwen3-30B-A3B-Thinking-2507, kimi-k2-thinking or grok-4-fast-reasoning: bad image',
    ],
    ['vLLM of a mode', 'thinking_budget', 'This model does not support non-thinking mode.'],
    [
      'DeepSeek of its thoughts',
      'withoutThoughts',
      'Missing `reasoning_content` field in the assistant message at message index 2.',
    ],
    [
      'DeepSeek of its thoughts',
      'withoutThoughts',
      'The `reasoning_content` in the thinking mode must be passed back to the API.',
    ],
    [
      'Moonshot of its thoughts',
      'withoutThoughts',
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 3',
    ],
    [
      'Gemini of its signature',
      'unsigned',
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.',
    ],
    [
      'Anthropic of thoughts',
      'thoughts',
      'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
    ],
    ['Groq of thoughts', 'thoughts', "('messages.1' : property 'reasoning_content' is unsupported)"],
    [
      'OpenAI by its param',
      'thoughts',
      "Unknown parameter: 'messages[1].reasoning'.",
      400,
      'messages[1].reasoning',
    ],
    ["Mistral's templates", 'ids', 'Tool call IDs should be alphanumeric strings with length 9!', 500],
    [
      'Anthropic of an id',
      'ids',
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'OpenAI of an id',
      'ids',
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
    ],
    ['OpenAI of a result', null, "Invalid parameter: 'tool_call_id' of 'a' not found in 'tool_calls'."],
    ['Anthropic of ids', null, 'messages.3: `tool_use` ids must be unique'],
    ['DeepSeek of a schema', 'jsonSchema', 'This response_format type is unavailable now'],
    ['Groq of a schema', 'jsonSchema', 'This model does not support response format `json_schema`'],
    ['a parser of thoughts', null, 'Internal error: reasoning parser failed on unexpected content', 500],
    ['a queue', null, 'The message cannot be taken: too many thinking requests', 500],
    [
      'vLLM of a prompt that is too long, thoughts counted',
      null,
      "This model's maximum context length is 8192 tokens. However, your messages have 9000 tokens, reasoning included, and cannot be shortened.",
    ],
    [
      'a prompt that is too long',
      null,
      'input token count of messages and thoughts exceeds 1000; only less can be sent',
    ],
    ['a refusal of a prompt', null, 'The content of this message shows reasoning of a harmful kind.'],
    ['a filter', null, 'The response was filtered due to the content management policy'],
    ['another status', null, 'temperature is not supported', 503],
  ])('%s: %s', (_name, field, message, status, param) => {
    expect(changed(refusal(message, status, param))).toBe(field);
  });

  test('of thoughts, where there are none to send', () => {
    const error = refusal('The `reasoning_content` in the thinking mode must be passed back to the API.');
    expect(changed(error, ['withoutThoughts'])).toBeNull();
  });

  test('of what a gateway passes on', () => {
    const raw = JSON.stringify({
      error: { message: "'temperature' does not support 0.2. Only the default." },
    });
    const error = { message: 'Provider returned error', code: 400, metadata: { raw } };
    expect(changed(Object.assign(new Error('400'), { status: 400, error }))).toBe('temperature');
  });

  test.each<[string, string | null]>([
    ['This model does not support the effort parameter.', 'reasoning_effort'],
    ['Thinking level is not supported for this model.', 'reasoning_effort'],
    ["Unsupported parameter: 'reasoning_effort' is not supported with this model.", 'reasoning_effort'],
    ["output_config.effort: Input should be 'low', 'medium' or 'high'", null],
    ["This model does not support effort level 'max'. Supported levels: high, low, medium.", null],
  ])('vendors, of an effort: %s', (message, field) => {
    expect(changed(refusal(message), ['thinking_budget'])).toBe(field);
  });
});

const chat = [
  { role: 'system' as const, content: 'Be brief.' },
  { role: 'user' as const, content: '1 + 1' },
];
const WITHOUT: Record<ProviderKind, (body: never) => unknown> = {
  openai: ({ messages, temperature, reasoning_effort }: never) => ({
    messages,
    temperature,
    reasoning_effort,
  }),
  anthropic: ({ messages, temperature, thinking, system }: never) => ({
    messages,
    temperature,
    thinking,
    system,
  }),
  gemini: ({ contents, generationConfig, systemInstruction }: never) => ({
    contents,
    generationConfig,
    systemInstruction,
  }),
  bedrock: ({ messages, inferenceConfig, system }: never) => ({ messages, inferenceConfig, system }),
};

describe.each<ProviderKind>(['openai', 'anthropic', 'gemini', 'bedrock'])('the %s adapter', (kind) => {
  const parameters: GenerateParameters = { temperature: 0.2, thinking_budget: 0 };

  test('asks again without what is refused, says so once, and keeps to it', async () => {
    const provider = await fake(kind);
    const said: string[] = [];
    const model = await modelFor(provider, { notify: (sentence) => said.push(sentence) });
    const refuse = (message: string) => ({ kind: 'status' as const, status: 400, message });
    provider.next(
      refuse('`temperature` is deprecated for this model.'),
      refuse('System role not supported'),
      refuse('thinking cannot be disabled'),
    );
    const first = await model.generate(request(chat, { parameters }));
    const second = await model.generate(request(chat, { parameters }));
    expect(provider.statistics.calls).toBe(5);
    const sentences = [
      'lm.temperature 0.2 is left out: the server says: `temperature` is deprecated for this model.',
      'lm.thinking_budget 0 is left out: the server says: thinking cannot be disabled',
      "the system prompt begins the user's first message: the server says: System role not supported",
    ];
    expect(first.adapted).toEqual(sentences);
    expect(second.adapted).toEqual(sentences);
    expect(said).toEqual(sentences);
    const text = 'Be brief.\n\n1 + 1';
    const sent = {
      openai: { messages: [{ role: 'user', content: text }] },
      anthropic: { messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
      gemini: {
        contents: [{ role: 'user', parts: [{ text }] }],
        generationConfig: expect.not.objectContaining({ temperature: 0.2 }),
      },
      bedrock: { messages: [{ role: 'user', content: [{ text }] }], inferenceConfig: {} },
    };
    const last = WITHOUT[kind](provider.requests.at(-1)?.body as never);
    expect(JSON.parse(JSON.stringify(last))).toEqual(sent[kind]);
  });

  test('changes nothing for a refusal that only quotes a field', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    const refuse = {
      kind: 'status' as const,
      status: 400,
      message: "'what is the temperature' is not allowed here",
    };
    provider.next(refuse, refuse);
    expect(await failure(model.generate(request(chat, { parameters })))).toMatchObject({
      kind: 'bad_request',
    });
    expect(await model.generate(request(chat, { parameters }))).not.toHaveProperty('adapted');
  });

  test('sends neither a temperature nor a system message that there is none of', async () => {
    const provider = await fake(kind);
    await (await modelFor(provider)).generate(
      request([
        { role: 'system', content: ' ' },
        { role: 'user', content: 'Hi' },
      ]),
    );
    const text = JSON.stringify(provider.requests[0]?.body);
    expect(text).not.toMatch(/temperature|"system|systemInstruction/);
  });
});

test('a chat that the model begins is begun by the user, for whom wants that', async () => {
  const begun = [
    { role: 'assistant' as const, content: 'How can I help?' },
    { role: 'user' as const, content: 'Hi' },
  ];
  for (const kind of ['anthropic', 'gemini', 'bedrock'] as const) {
    const provider = await fake(kind);
    await (await modelFor(provider)).generate(request(begun));
    const { messages, contents } = provider.requests[0]?.body ?? {};
    expect((messages ?? contents).map(({ role }: { role: string }) => role)).toEqual([
      'user',
      kind === 'gemini' ? 'model' : 'assistant',
      'user',
    ]);
  }
  expect(inDialect([{ role: 'system', content: 'S' }, ...begun], { system: false })[0]).toEqual({
    role: 'user',
    content: 'S',
  });
});
