import { describe, expect, test } from 'vitest';
import type { GenerateReply, ToolCall } from '../../src/contracts/language-model.js';
import type { LanguageModelError } from '../../src/language-models/errors.js';
import { readEnd } from '../../src/language-models/reply-end.js';
import type { ProviderKind } from '../support/fake-providers/behaviours.js';
import { failure, fake, modelFor, request, weatherTool } from './support.js';

/** What an adapter makes of a body of status 200. */
async function read(kind: ProviderKind, body: unknown): Promise<GenerateReply> {
  const provider = await fake(kind);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  provider.next({ kind: 'raw', body: text, contentType: 'application/json' });
  return (await modelFor(provider)).generate(request());
}

const choice = (message: object, finish_reason: unknown = 'stop', more = {}) => ({
  choices: [{ message: { role: 'assistant', ...message }, finish_reason, ...more }],
  usage: { prompt_tokens: 9, completion_tokens: 4, completion_tokens_details: { reasoning_tokens: 3 } },
});
const candidate = (parts: object[] | undefined, finishReason: string, more = {}) => ({
  candidates: [{ ...(parts && { content: { role: 'model', parts } }), finishReason, ...more }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1, thoughtsTokenCount: 3 },
});
const message = (content: unknown, stop_reason: string | null, more = {}) => ({
  type: 'message',
  role: 'assistant',
  content,
  stop_reason,
  usage: { input_tokens: 9, output_tokens: 4 },
  ...more,
});

const choices = (...messages: object[]) => ({
  choices: messages.map((message) => ({ message, finish_reason: 'tool_calls' })),
});

type ReadCase = [name: string, kind: ProviderKind, body: unknown, expected: Partial<GenerateReply>];

test.each<ReadCase>([
  // vercel/ai#13703, n8n#37352
  [
    'a part without a text',
    'openai',
    choice({
      content: [
        { type: 'text', text: null },
        { type: 'text', text: 'a' },
      ],
    }),
    { text: 'a' },
  ],
  ['parts that are texts', 'openai', choice({ content: ['a', 'b'] }), { text: 'ab' }],
  ['a single part', 'openai', choice({ content: { type: 'text', text: 'a' } }), { text: 'a' }],
  ['a number', 'openai', choice({ content: 72 }), { text: '72' }],
  [
    'parts of unknown kinds',
    'openai',
    choice({ content: [{ type: 'reference', ids: [1] }, { type: 'output_text', text: 'a' }, null] }),
    { text: 'a' },
  ],
  [
    'a text in the second choice',
    'openai',
    {
      choices: [...choice({ content: null }, 'stop').choices, ...choice({ content: 'a' }, 'length').choices],
    },
    { text: 'a', finish_reason: 'length' },
  ],
  [
    'a text and calls in two choices',
    'openai',
    choices(
      { content: 'a' },
      { content: '', tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{}' } }] },
    ),
    { text: 'a', finish_reason: 'tool_calls', tool_calls: [{ id: 'x', name: 'f', arguments: '{}' }] },
  ],
  ['two replies', 'openai', choices({ content: 'a' }, { content: 'b' }), { text: 'a' }],
  // promptfoo#1991
  [
    'a refusal of the model',
    'openai',
    choice({ content: null, refusal: 'I cannot.' }),
    { text: 'I cannot.', finish_reason: 'stop' },
  ],
  ['a refusal beside a text', 'openai', choice({ content: 'a', refusal: '' }), { text: 'a' }],
  ['no content', 'openai', choice({}), { text: '' }],
  ['no finish reason', 'openai', choice({ content: 'a' }, null), { text: 'a', finish_reason: 'unknown' }],
  ['another word for the end', 'openai', choice({ content: 'a' }, 'eos_token'), { finish_reason: 'stop' }],
  ['a full context window', 'openai', choice({ content: 'a' }, 'model_length'), { finish_reason: 'length' }],
  ['an error that is none', 'openai', { ...choice({ content: 'a' }), error: {} }, { text: 'a' }],
  [
    "Mistral's thinking parts",
    'openai',
    choice({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'a' },
      ],
    }),
    { text: 'a', reasoning: 'hm' },
  ],
  [
    "DeepSeek's field",
    'openai',
    choice({ content: 'a', reasoning_content: 'hm' }),
    { text: 'a', reasoning: 'hm' },
  ],
  [
    "OpenRouter's field",
    'openai',
    choice(
      { content: null, reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] },
      'length',
    ),
    { text: '', reasoning: 'hm', finish_reason: 'length' },
  ],
  [
    "OpenRouter's details",
    'openai',
    choice({
      content: 'a',
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'h' },
        { type: 'reasoning.encrypted', data: 'x' },
      ],
    }),
    { reasoning: 'h' },
  ],
  [
    'tokens of reasoning',
    'openai',
    choice({ content: 'a' }),
    { usage: { input_tokens: 9, output_tokens: 4, reasoning_tokens: 3 } },
  ],
  [
    'thoughts',
    'gemini',
    candidate([{ text: 'hm', thought: true }, { text: 'a' }], 'STOP'),
    { text: 'a', reasoning: 'hm', usage: { input_tokens: 9, output_tokens: 4, reasoning_tokens: 3 } },
  ],
  [
    'nothing but a limit',
    'gemini',
    candidate(undefined, 'MAX_TOKENS'),
    { text: '', finish_reason: 'length' },
  ],
  [
    'parts that are null',
    'gemini',
    { candidates: [{ content: { parts: null }, finishReason: 'STOP' }] },
    { text: '' },
  ],
  [
    'thinking blocks',
    'anthropic',
    message(
      [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'text', text: 'a' },
      ],
      'end_turn',
    ),
    { text: 'a', reasoning: 'hm' },
  ],
  [
    'a full context window',
    'anthropic',
    message([{ type: 'text', text: 'a' }], 'model_context_window_exceeded'),
    { finish_reason: 'length' },
  ],
  [
    'what is written to a cache',
    'anthropic',
    message('a', 'end_turn', {
      usage: {
        input_tokens: 9,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 20,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 0 },
        output_tokens: 4,
      },
    }),
    { usage: { input_tokens: 29, output_tokens: 4, cache_write_tokens: 20 } },
  ],
  [
    'what is written to a cache for an hour',
    'anthropic',
    message('a', 'end_turn', {
      usage: {
        input_tokens: 9,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 20,
        cache_creation: { ephemeral_5m_input_tokens: 8, ephemeral_1h_input_tokens: 12 },
        output_tokens: 4,
      },
    }),
    { usage: { input_tokens: 34, output_tokens: 4, cache_write_tokens: 20, cache_write_1h_tokens: 12 } },
  ],
  ['a content that is a text', 'anthropic', message('a', 'end_turn'), { text: 'a' }],
])('%s is read (%s)', async (_name, kind, body, expected) => {
  expect(await read(kind, body)).toMatchObject(expected);
});

type EndCase = [
  name: string,
  kind: ProviderKind,
  body: unknown,
  expected: Partial<LanguageModelError>,
  words: RegExp,
];
const WITHHELD = { kind: 'content_filter', retryable: false, fatalForRun: false } as const;
const BROKEN = { kind: 'broken_off', retryable: true, status: undefined } as const;

describe('a reply whose end its provider calls a failure is none, whatever came before', () => {
  test.each<EndCase>([
    // razzant/claudexor#144, genkit#6259, inspect_ai#1536
    [
      'finish_reason error',
      'openai',
      choice({ content: 'Answer: 7' }, 'error'),
      BROKEN,
      /broke the reply off \(finish_reason "error"\)$/,
    ],
    [
      'an error of the choice',
      'openai',
      choice({ content: 'The product' }, 'error', { error: { code: 502, message: 'gone' } }),
      BROKEN,
      /broke the reply off: gone$/,
    ],
    [
      'an error beside half a reply',
      'openai',
      { ...choice({ content: 'The product' }), error: { code: 429, message: 'slow' } },
      BROKEN,
      /broke the reply off: slow$/,
    ],
    ['an error of the message', 'openai', choice({ content: 'x', error: 'gone' }, null), BROKEN, /gone$/],
    [
      'money that ran out',
      'openai',
      choice({ content: 'x' }, 'error', { error: { code: 402, message: 'pay' } }),
      { kind: 'quota_exhausted', fatalForRun: true },
      /pay$/,
    ],
    ['abort', 'openai', choice({ content: 'x' }, 'abort'), BROKEN, /"abort"/],
    ['network_error', 'openai', choice({ content: 'x' }, 'network_error'), BROKEN, /"network_error"/],
    [
      'content_filter',
      'openai',
      choice({ content: 'Answer: 7' }, 'content_filter'),
      WITHHELD,
      /withheld the reply/,
    ],
    ['SAFETY through a gateway', 'openai', choice({ content: 'x' }, 'SAFETY'), WITHHELD, /"SAFETY"/],
    [
      'a refusal that a filter wrote',
      'openai',
      choice({ content: null, refusal: 'I cannot.' }, 'content_filter'),
      WITHHELD,
      /"content_filter"/,
    ],
    [
      'SAFETY',
      'gemini',
      candidate([{ text: 'The product' }], 'SAFETY', { finishMessage: 'the client drops it' }),
      WITHHELD,
      /finishReason SAFETY\)$/,
    ],
    ['RECITATION', 'gemini', candidate(undefined, 'RECITATION'), WITHHELD, /RECITATION/],
    [
      'MALFORMED_FUNCTION_CALL',
      'gemini',
      candidate([{ text: 'I look' }], 'MALFORMED_FUNCTION_CALL'),
      BROKEN,
      /MALFORMED_FUNCTION_CALL/,
    ],
    ['OTHER', 'gemini', candidate([{ text: 'x' }], 'OTHER'), BROKEN, /OTHER/],
    [
      'a blocked prompt',
      'gemini',
      { promptFeedback: { blockReason: 'OTHER' } },
      WITHHELD,
      /blockReason OTHER/,
    ],
    [
      'refusal',
      'anthropic',
      message([{ type: 'text', text: 'The product is 7' }], 'refusal', {
        stop_details: { explanation: 'cyber' },
      }),
      WITHHELD,
      /stop_reason "refusal"\): cyber$/,
    ],
  ])('%s (%s)', async (_name, kind, body, expected, words) => {
    const error = await failure(read(kind, body));
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(words);
    if (!('promptFeedback' in (body as object))) expect(error.usage?.input_tokens).toBe(9);
  });

  test.each([
    ['STOP', 'stop'],
    ['', 'unknown'],
    ['something new', 'unknown'],
    [undefined, 'unknown'],
    ['constructor', 'unknown'],
    ['insufficient_system_resource', 'broken_off'],
    ['request_cancelled', 'broken_off'],
    // Gemini's OpenAI-compatible address (hermes-agent#11171), and gateways.
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'broken_off'],
    ['function_call_filter: SOMETHING_NEW', 'broken_off'],
    ['content_filter: RECITATION', 'content_filter'],
    ['content_filter: SOMETHING_NEW', 'content_filter'],
    ['content_filter: MAX_TOKENS', 'length'],
    ['content-filter', 'content_filter'],
    ['tool-calls', 'tool_calls'],
    ['MODEL_ARMOR', 'content_filter'],
    ['ERROR_LIMIT', 'length'],
    ['contextLengthReached', 'length'],
    ['no_filter', 'unknown'],
    ['of_length: new', 'unknown'],
    ['pause_turn', 'paused'],
  ])('%j ends as %s', (reason, end) => {
    expect(readEnd(reason)).toBe(end);
  });
});

describe('a turn that Anthropic pauses', () => {
  const part = (text: string, stop_reason: string) =>
    JSON.stringify(message([{ type: 'text', text }], stop_reason));
  const raw = (body: string) => ({ kind: 'raw' as const, body, contentType: 'application/json' });

  test('continues from what it said, as one reply', async () => {
    const provider = await fake('anthropic');
    const model = await modelFor(provider);
    provider.next(
      raw(part('One, ', 'pause_turn')),
      raw(part('two, ', 'pause_turn')),
      raw(part('three.', 'end_turn')),
    );
    expect(await model.generate(request('Count'), { idempotencyKey: 'k' })).toMatchObject({
      text: 'One, two, three.',
      finish_reason: 'stop',
      usage: { input_tokens: 27, output_tokens: 12 },
    });
    const [, second, third] = provider.requests.map(({ body }) =>
      body.messages.map(({ role }: { role: string }) => role),
    );
    expect(second).toEqual(['user', 'assistant']);
    expect(third).toEqual(['user', 'assistant', 'assistant']);
    expect(provider.requests.map(({ key }) => key)).toEqual(['k', 'k-1', 'k-2']);
  });

  test('and never continues is an error, with all that it has cost', async () => {
    const provider = await fake('anthropic');
    provider.next(...Array.from({ length: 10 }, () => raw(part('x', 'pause_turn'))));
    const error = await failure((await modelFor(provider)).generate(request()));
    expect(error).toMatchObject({ kind: 'broken_off', usage: { input_tokens: 90, output_tokens: 40 } });
    expect(provider.statistics.calls).toBe(10);
  });
});

const called = (...tool_calls: unknown[]) => choice({ content: null, tool_calls }, 'tool_calls');
const f = (name: unknown, args?: unknown, more = {}) => ({
  id: 'x',
  type: 'function',
  function: { name, ...(args === undefined ? {} : { arguments: args }) },
  ...more,
});

describe('tool calls', () => {
  test.each<[string, unknown, Partial<ToolCall>[] | undefined]>([
    // vllm#19419, agno#10254, simonw/llm#1164
    ['without arguments', called(f('look')), [{ name: 'look', arguments: '' }]],
    ['with null', called(f('look', null)), [{ arguments: '' }]],
    ['with an object', called(f('look', { a: 1 })), [{ arguments: '{"a":1}' }]],
    [
      'in a choice of their own (nanobot#1481)',
      choices({ content: 'I look.' }, { tool_calls: [f('look', '{}')] }, { tool_calls: [f('see', '{}')] }),
      [{ name: 'look' }, { name: 'see' }],
    ],
    [
      'in a choice of their own, twice the same',
      choices({ content: 'I roll.' }, { tool_calls: [f('roll', '{}'), f('roll', '{}', { id: 'y' })] }),
      [
        { id: 'x', name: 'roll' },
        { id: 'y', name: 'roll' },
      ],
    ],
    [
      'before a text in a choice of its own',
      choices({ content: null, tool_calls: [f('look', '{}')] }, { content: 'I look.' }),
      [{ name: 'look' }],
    ],
    [
      'in both of two choices',
      choices({ tool_calls: [f('look', '{}')] }, { tool_calls: [f('look', '{}', { id: 'y' })] }),
      [{ id: 'x', name: 'look' }],
    ],
    [
      'in the second of two whole replies',
      choices({ content: 'A' }, { content: 'B', tool_calls: [f('look', '{}')] }),
      undefined,
    ],
    [
      'with marks of a channel after the name',
      called(f('look<|channel|>commentary', '{}'), f('look_up <|constrain|>json', '{}')),
      [{ name: 'look' }, { name: 'look_up' }],
    ],
    ['with blanks around the name', called(f(' look ', '{}')), [{ name: 'look' }]],
    ['of one id', called(f('a', '{}'), f('b', '{}')), [{ id: 'x' }, { id: 'call_act_0_1' }]],
    [
      'without ids',
      called(f('a', '{}', { id: null }), f('b', '{}', { id: '' })),
      [{ id: 'call_act_0_0' }, { id: 'call_act_0_1' }],
    ],
    [
      'in the protocol of 2023',
      choice({ function_call: { name: 'look', arguments: '{}' } }, 'function_call'),
      [{ name: 'look' }],
    ],
    [
      'of a custom tool',
      called({ id: 'x', type: 'custom', custom: { name: 'look', input: 'now' } }),
      [{ name: 'look', arguments: 'now' }],
    ],
    ['without a name beside a text', choice({ content: 'a', tool_calls: [f(null, null), {}] }), undefined],
    ['without a name beside another', called(f(null), f('look', '{}')), [{ name: 'look' }]],
    ['without a name alone', called(f(null, '{}')), [{ name: '' }]],
    [
      'with half a surrogate pair',
      called(f('look', String.raw`{"a":"\ud83d"}`)),
      [{ arguments: String.raw`{"a":"\ufffd"}` }],
    ],
  ])('%s', async (_name, body, expected) => {
    const { tool_calls } = await read('openai', body);
    if (expected === undefined) expect(tool_calls).toBeUndefined();
    else expect(tool_calls).toMatchObject(expected);
  });

  test.each<[string, string, unknown[], string[]]>([
    ['in the last call', 'max_tokens', ['Oslo', 'Ro'], ['{"city":"Oslo"}', '{"city":"Ro"']],
    ['before its first field', 'max_tokens', [undefined], ['{']],
    ['as the context window is full', 'model_context_window_exceeded', ['Ro'], ['{"city":"Ro"']],
    ['nowhere', 'tool_use', ['Oslo', 'Rome'], ['{"city":"Oslo"}', '{"city":"Rome"}']],
  ])('that a limit cuts off %s have no whole arguments', async (_where, end, cities, expected) => {
    const inputs = cities.map((city) => (city === undefined ? {} : { city }));
    const uses = inputs.map((input, at) => ({ type: 'tool_use', id: `c${at}`, name: 'look', input }));
    const used = inputs.map((input, at) => ({ toolUse: { toolUseId: `c${at}`, name: 'look', input } }));
    const bodies = {
      anthropic: message(uses, end),
      bedrock: {
        output: { message: { role: 'assistant', content: used } },
        stopReason: end,
        usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13 },
      },
    };
    for (const [kind, body] of Object.entries(bodies)) {
      const { tool_calls = [] } = await read(kind as ProviderKind, body);
      expect(tool_calls.map((call) => call.arguments)).toEqual(expected);
    }
  });

  test('before a text that a limit cuts off are whole', async () => {
    const use = { type: 'tool_use', id: 'c', name: 'look', input: { city: 'Oslo' } };
    const body = message([use, { type: 'text', text: 'And th' }], 'max_tokens');
    const { tool_calls, text } = await read('anthropic', body);
    expect(tool_calls).toEqual([{ id: 'c', name: 'look', arguments: '{"city":"Oslo"}' }]);
    expect(text).toBe('And th');
  });

  test('without a name are no lost ones', async () => {
    const provider = await fake('openai');
    const body = JSON.stringify(choice({ content: 'I look.', tool_calls: [f(null, '{}')] }, 'tool_calls'));
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    const reply = await (await modelFor(provider)).generate(request('?', { tools: [weatherTool] }));
    expect(reply.text).toBe('I look.');
  });

  test.each<[string, object, string, boolean, string | null]>([
    ['nothing, though tools were offered', { content: null }, 'tool_calls', true, null],
    ['blanks, in the protocol of 2023', { content: '\n', function_call: null }, 'function_call', true, null],
    ['thoughts alone', { content: '', reasoning: 'Hm.', tool_calls: [] }, 'tool_calls', true, null],
    ['nothing, as none were', { content: '' }, 'tool_calls', false, ''],
    ['an answer', { content: 'It is 42.', tool_calls: [] }, 'tool_calls', true, 'It is 42.'],
    ['an answer in the protocol of 2023', { content: '42' }, 'function_call', true, '42'],
    [
      'a call as text',
      { content: '<tool_call>{}</tool_call>' },
      'tool_calls',
      true,
      '<tool_call>{}</tool_call>',
    ],
  ])('that a server speaks of and does not send, but %s', async (_sends, message, end, hasTools, text) => {
    const provider = await fake('openai');
    const body = JSON.stringify(choice(message, end));
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    const tools = hasTools ? [weatherTool] : undefined;
    const asked = (await modelFor(provider)).generate(request('?', { tools }));
    if (text === null) expect(await failure(asked)).toMatchObject({ kind: 'broken_off', retryable: true });
    else expect(await asked).toMatchObject({ text });
  });

  test('get an id that no earlier call of the chat has', async () => {
    const provider = await fake('openai');
    const body = JSON.stringify(called(f('look', '{}', { id: 'call_0' })));
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    const chat = [
      { role: 'user' as const, content: '?' },
      {
        role: 'assistant' as const,
        content: '',
        tool_calls: [{ id: 'call_0', name: 'look', arguments: '{}' }],
      },
      { role: 'tool' as const, content: '1', tool_call_id: 'call_0' },
    ];
    const call = { purpose: 'agent' as const, ordinal: 1 };
    const { tool_calls } = await (await modelFor(provider)).generate(request(chat, { call }));
    expect(tool_calls).toEqual([{ id: 'call_agent_1_0', name: 'look', arguments: '{}' }]);
  });

  test.each<[ProviderKind, (body: never) => unknown[]]>([
    [
      'openai',
      (body: { messages: { tool_calls: { function: object }[] }[] }) =>
        (body.messages[1]?.tool_calls ?? []).map((one) => one.function),
    ],
    [
      'anthropic',
      (body: { messages: { content: { name: string; input: object }[] }[] }) =>
        (body.messages[1]?.content ?? []).map(({ name, input }) => ({
          name,
          arguments: JSON.stringify(input),
        })),
    ],
    [
      'gemini',
      (body: { contents: { parts: { functionCall: { name: string; args: object } }[] }[] }) =>
        (body.contents[1]?.parts ?? []).map(({ functionCall: { name, args } }) => ({
          name,
          arguments: JSON.stringify(args),
        })),
    ],
  ])('go back to %s as valid ones', async (kind, callsOf) => {
    const provider = await fake(kind);
    const made = ['', '{"a": 1,}', '[1]', 'null', '{"a":1}'];
    const tool_calls = made.map((text, index) => ({
      id: `c${index}`,
      name: index === 0 ? 'functions.look' : 'look',
      arguments: text,
    }));
    const chat = [
      { role: 'user' as const, content: '?' },
      { role: 'assistant' as const, content: '', tool_calls },
      ...tool_calls.map(({ id }) => ({ role: 'tool' as const, content: 'no', tool_call_id: id })),
    ];
    await (await modelFor(provider)).generate(request(chat));
    expect(callsOf(provider.requests[0]?.body as never)).toEqual([
      { name: 'functions_look', arguments: '{}' },
      { name: 'look', arguments: '{"input":"{\\"a\\": 1,}"}' },
      { name: 'look', arguments: '{"input":"[1]"}' },
      { name: 'look', arguments: '{}' },
      { name: 'look', arguments: '{"a":1}' },
    ]);
  });
});

test('no half of a surrogate pair goes out or comes in', async () => {
  const provider = await fake('openai');
  const body = String.raw`{"choices":[{"message":{"content":"a \ud83d","reasoning":"\udc00 b"},"finish_reason":"stop"}]}`;
  provider.next({ kind: 'raw', body, contentType: 'application/json' });
  const reply = await (await modelFor(provider)).generate(request('half \ud83d'));
  expect(reply).toMatchObject({ text: 'a \ufffd', reasoning: '\ufffd b' });
  expect(provider.requests[0]?.body.messages[0].content).toBe('half \ufffd');
});

const ok = JSON.stringify(choice({ content: 'Answer: 72' }));
describe('a body of status 200', () => {
  test.each([
    // jundot/omlx#2066, openai-go#227
    ['behind white space', `  \n\n${ok}`, 'application/json'],
    ['behind a byte order mark', `\ufeff${ok}`, 'application/json'],
    ['behind comments', `: PROCESSING\n\n: PROCESSING\n\n${ok}`, 'application/json'],
    ['as plain text', ok, 'text/plain'],
    ['as nothing', ok, ''],
    ['in capitals', ok, 'Application/JSON'],
    [
      'with numbers of Python',
      ok.replace('{', '{"timings": {"a": NaN, "b": -Infinity, "c": "NaN"}, '),
      'application/json',
    ],
  ])('is read %s', async (_name, body, contentType) => {
    const provider = await fake('openai');
    provider.next({ kind: 'raw', body, contentType });
    expect((await (await modelFor(provider)).generate(request())).text).toBe('Answer: 72');
  });

  test.each<[string, string, Partial<LanguageModelError>, RegExp]>([
    [
      'an event stream',
      'data: {"choices":[]}\n\ndata: [DONE]\n',
      { kind: 'malformed_reply' },
      /answered with an event stream/,
    ],
    [
      'a web page',
      '<!DOCTYPE html><html><body>Log in</body></html>',
      { kind: 'malformed_reply' },
      /with a web page: Log in$/,
    ],
    ['nothing', ' \n', { kind: 'malformed_reply' }, /with an empty body$/],
    ['a text', 'upstream gone', { kind: 'malformed_reply' }, /a text that is no JSON: upstream gone$/],
    ['half of it', ok.slice(0, 40), { kind: 'malformed_reply' }, /JSON that cannot be read/],
    [
      'object: error',
      '{"object":"error","message":"The worker is busy","code":50001}',
      { kind: 'malformed_reply', retryable: true },
      /says: The worker is busy$/,
    ],
    [
      'object: error with a status',
      '{"object":"error","message":"too long","code":400}',
      { kind: 'bad_request' },
      /\(HTTP 400\): too long$/,
    ],
    ['detail', '{"detail":"Backend restarting"}', { kind: 'malformed_reply' }, /says: Backend restarting$/],
    [
      'error as a text',
      '{"error":"Unexpected endpoint"}',
      { kind: 'malformed_reply' },
      /says: Unexpected endpoint$/,
    ],
    [
      "MiniMax's words",
      '{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}',
      { kind: 'malformed_reply' },
      /says: insufficient balance$/,
    ],
    ['msg', '{"code":"429","msg":"slow down"}', { kind: 'rate_limited' }, /slow down$/],
    [
      'a word for a number',
      '{"error":{"type":"overloaded_error","message":"Overloaded"}}',
      { kind: 'overloaded' },
      /Overloaded$/,
    ],
  ])('that is no reply is said to be one: %s', async (_name, body, expected, words) => {
    const provider = await fake('openai');
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    const error = await failure((await modelFor(provider)).generate(request()));
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(words);
  });
});
