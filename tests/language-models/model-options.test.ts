import { describe, expect, test } from 'vitest';
import type { GenerateParameters } from '../../src/contracts/language-model.js';
import type { ProviderKind, RecordedRequest } from '../support/fake-providers/behaviours.js';
import { failure, fake, modelFor, request } from './support.js';

const CITY = {
  title: 'The capital’s name',
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

type Sent = Record<string, unknown>;

/** What each provider is sent for an option beside the rest of a request; null: nothing, and people are told. */
const SENT: {
  [Name in keyof Required<GenerateParameters>]: {
    value: Required<GenerateParameters>[Name];
    openai: Sent | null;
    anthropic: Sent | null;
    gemini: Sent | null;
    bedrock: Sent | null;
  };
} = {
  temperature: {
    value: 0.5,
    openai: { temperature: 0.5 },
    anthropic: { temperature: 0.5 },
    gemini: { generationConfig: { temperature: 0.5 } },
    bedrock: { inferenceConfig: { temperature: 0.5 } },
  },
  top_p: {
    value: 0.9,
    openai: { top_p: 0.9 },
    anthropic: { top_p: 0.9 },
    gemini: { generationConfig: { topP: 0.9 } },
    bedrock: { inferenceConfig: { topP: 0.9 } },
  },
  top_k: {
    value: 40,
    openai: { top_k: 40 },
    anthropic: { top_k: 40 },
    gemini: { generationConfig: { topK: 40 } },
    bedrock: { additionalModelRequestFields: { top_k: 40 } },
  },
  max_output_tokens: {
    value: 77,
    openai: { max_tokens: 77 },
    anthropic: { max_tokens: 77 },
    gemini: { generationConfig: { maxOutputTokens: 77 } },
    bedrock: { inferenceConfig: { maxTokens: 77 } },
  },
  stop: {
    value: ['\n\n', '答案：'],
    openai: { stop: ['\n\n', '答案：'] },
    anthropic: { stop_sequences: ['\n\n', '答案：'] },
    gemini: { generationConfig: { stopSequences: ['\n\n', '答案：'] } },
    bedrock: { inferenceConfig: { stopSequences: ['\n\n', '答案：'] } },
  },
  seed: {
    value: 0,
    openai: { seed: 0 },
    anthropic: null,
    gemini: { generationConfig: { seed: 0 } },
    bedrock: null,
  },
  frequency_penalty: {
    value: -0.5,
    openai: { frequency_penalty: -0.5 },
    anthropic: null,
    gemini: { generationConfig: { frequencyPenalty: -0.5 } },
    bedrock: null,
  },
  presence_penalty: {
    value: 1,
    openai: { presence_penalty: 1 },
    anthropic: null,
    gemini: { generationConfig: { presencePenalty: 1 } },
    bedrock: null,
  },
  thinking_budget: {
    value: 2048,
    openai: { reasoning_effort: 'low' },
    anthropic: { thinking: { type: 'enabled', budget_tokens: 2048 } },
    gemini: { generationConfig: { thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } } },
    bedrock: { additionalModelRequestFields: { reasoning_effort: 'low' } },
  },
  reasoning_effort: {
    value: 'low',
    openai: { reasoning_effort: 'low' },
    anthropic: { output_config: { effort: 'low' } },
    gemini: { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } } },
    bedrock: { additionalModelRequestFields: { reasoning_effort: 'low' } },
  },
  logprobs: {
    value: 2,
    openai: { logprobs: true, top_logprobs: 2, return_token_ids: true },
    anthropic: null,
    gemini: { generationConfig: { responseLogprobs: true, logprobs: 2 } },
    bedrock: null,
  },
  response_format: {
    value: CITY,
    openai: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'The_capital_s_name', strict: true, schema: CITY },
      },
    },
    anthropic: { output_config: { format: { type: 'json_schema', schema: CITY } } },
    gemini: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: CITY } },
    bedrock: {
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'The_capital_s_name', schema: JSON.stringify(CITY) } },
        },
      },
    },
  },
  extra_body: {
    value: { service_tier: 'flex', options: { num_ctx: 8192 }, nothing: null },
    openai: { service_tier: 'flex', options: { num_ctx: 8192 }, nothing: null },
    anthropic: { service_tier: 'flex', options: { num_ctx: 8192 }, nothing: null },
    gemini: { service_tier: 'flex', options: { num_ctx: 8192 }, nothing: null },
    bedrock: {
      additionalModelRequestFields: { service_tier: 'flex', options: { num_ctx: 8192 }, nothing: null },
    },
  },
  // In the headers, which no body shows.
  extra_headers: { value: { 'X-Title': 'capitals' }, openai: {}, anthropic: {}, gemini: {}, bedrock: {} },
};

/** The request that a provider receives, and how it differs from one without parameters. */
async function asked(kind: ProviderKind, parameters: GenerateParameters, model?: string) {
  const provider = await fake(kind, { strict: false });
  const adapter = await modelFor(provider, model === undefined ? {} : { model });
  await adapter.generate(request());
  const reply = await adapter.generate(request('What is 100 + 7?', { parameters }));
  const [plain, sent] = provider.requests as [RecordedRequest, RecordedRequest];
  const isNew = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(plain.body[name]);
  const added: Sent = Object.fromEntries(Object.entries(sent.body).filter(isNew));
  expect(Object.keys(sent.body)).toEqual(expect.arrayContaining(Object.keys(plain.body)));
  return { added, headers: sent.headers as Record<string, string>, adapted: reply.adapted ?? [] };
}

const KINDS: ProviderKind[] = ['openai', 'anthropic', 'gemini', 'bedrock'];
const CASES = Object.entries(SENT).flatMap(([name, row]) => KINDS.map((kind) => ({ name, kind, row })));

test.each(CASES)('$name is sent to $kind as it calls it', async ({ name, kind, row }) => {
  const { added, adapted } = await asked(kind, { [name]: row.value });
  expect(added).toEqual(row[kind] ?? {});
  expect(adapted).toEqual(
    row[kind] === null ? [`lm.${name} ${row.value} is left out: the model takes none`] : [],
  );
});

describe.each(KINDS)('to %s', (kind) => {
  test('further headers go beside Reprise’s own', async () => {
    const extra_headers = { 'X-Title': 'capitals', 'anthropic-beta': 'a-2026,b-2026' };
    const { headers } = await asked(kind, { extra_headers });
    expect(headers).toMatchObject({ 'x-title': 'capitals', 'anthropic-beta': 'a-2026,b-2026' });
    expect(headers['content-type']).toContain('application/json');
    expect(headers.authorization ?? headers['x-goog-api-key']).toContain('secret-key-1234');
  });

  test('a further field is merged into a mapping that is sent anyway', async () => {
    const extra = {
      openai: { response_format: { note: 1 } },
      anthropic: { output_config: { note: 1 } },
      gemini: { generationConfig: { note: 1 } },
      // Beside the rest of the request, in a mapping of its own.
      bedrock: { options: { note: 1 } },
    };
    const { added } = await asked(kind, { response_format: CITY, extra_body: extra[kind] });
    const [name] = Object.keys(extra[kind]) as [string];
    const sent = kind === 'bedrock' ? (added.additionalModelRequestFields as Sent) : added;
    expect(sent[name]).toEqual({ ...(SENT.response_format[kind]?.[name] as Sent), note: 1 });
  });

  test('a reply that ends at a stop text is a whole one', async () => {
    const provider = await fake(kind);
    const message = { role: 'assistant', content: 'Paris' };
    const body = {
      openai: { choices: [{ message, finish_reason: 'stop', stop_reason: '\n' }] },
      anthropic: {
        ...message,
        content: [{ type: 'text', text: 'Paris' }],
        stop_reason: 'stop_sequence',
        stop_sequence: '\n',
      },
      gemini: {
        candidates: [{ content: { role: 'model', parts: [{ text: 'Paris' }] }, finishReason: 'STOP' }],
      },
      bedrock: {
        output: { message: { ...message, content: [{ text: 'Paris' }] } },
        stopReason: 'stop_sequence',
      },
    };
    provider.next({ kind: 'raw', body: JSON.stringify(body[kind]), contentType: 'application/json' });
    const reply = await (await modelFor(provider)).generate(
      request('The capital?', { parameters: { stop: ['\n'] } }),
    );
    expect(reply).toMatchObject({ text: 'Paris', finish_reason: 'stop' });
  });

  test.each<[string, GenerateParameters]>([
    ["Unsupported parameter: 'stop' is not supported with this model.", { stop: ['x'] }],
    ["'response_format' of type 'json_schema' is not supported with this model.", { response_format: CITY }],
    ['min_p: Extra inputs are not permitted', { extra_body: { min_p: 0.1 } }],
  ])('a refusal is an error where the reply would be another one: %s', async (message, parameters) => {
    const provider = await fake(kind);
    provider.next({ kind: 'status', status: 400, message });
    const error = await failure((await modelFor(provider)).generate(request('?', { parameters })));
    expect(error).toMatchObject({ kind: 'bad_request', message: expect.stringContaining(message) });
    expect(provider.statistics.calls).toBe(1);
  });

  test.each<[string, GenerateParameters]>([
    ["Unsupported parameter: 'top_p' is not supported with this model.", { top_p: 0.9 }],
    ['Unrecognized request argument supplied: top_k', { top_k: 5 }],
  ])('an option of sampling is left out where a server says: %s', async (message, parameters) => {
    const provider = await fake(kind);
    const said: string[] = [];
    const model = await modelFor(provider, { notify: (sentence) => said.push(sentence) });
    provider.next({ kind: 'status', status: 400, message });
    const [[name, value]] = Object.entries(parameters) as [[string, number]];
    const first = await model.generate(request('1 + 1', { parameters }));
    const second = await model.generate(request('2 + 2', { parameters }));
    expect(provider.statistics.calls).toBe(3);
    expect(said).toEqual([expect.stringMatching(`^lm\\.${name} ${value} is left out: the server says: `)]);
    expect([first.adapted, second.adapted]).toEqual([said, said]);
    expect(JSON.stringify(provider.requests.slice(1).map(({ body }) => body))).not.toMatch(/top_?[pk]/i);
  });
});

test('both penalties are left out where Gemini names neither', async () => {
  const provider = await fake('gemini');
  const message = 'Penalty is not enabled for models/gemini-2.5-flash';
  provider.intercept = ({ body }) =>
    /Penalty/.test(JSON.stringify(body)) ? { kind: 'status', status: 400, message } : undefined;
  const parameters = { frequency_penalty: 0.5, presence_penalty: 0.25 };
  const reply = await (await modelFor(provider)).generate(request('?', { parameters }));
  expect(reply.adapted).toEqual([
    `lm.frequency_penalty 0.5 is left out: the server says: ${message}`,
    `lm.presence_penalty 0.25 is left out: the server says: ${message}`,
  ]);
});

test('an effort that is none of the model’s is refused, and not left out', async () => {
  const provider = await fake('openai');
  const message =
    "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low' and 'high'.";
  provider.next({ kind: 'status', status: 400, message });
  const parameters = { reasoning_effort: 'minimal' as const };
  const error = await failure((await modelFor(provider)).generate(request('?', { parameters })));
  expect(error.message).toContain("Supported values are: 'low' and 'high'");
  expect(provider.statistics.calls).toBe(1);
});

test('what a request has already is not replaced', async () => {
  const extra_body = { temperature: 1, messages: [], stop: 'x' };
  const { added } = await asked('openai', { temperature: 0.5, extra_body });
  expect(added).toEqual({ temperature: 0.5, stop: 'x' });
});

describe('a schema of replies', () => {
  const sentFor = async (schema: GenerateParameters['response_format']) => {
    const { added } = await asked('openai', { response_format: schema });
    return (added.response_format as { json_schema: { name: string; strict: boolean } }).json_schema;
  };
  const inner = { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false };

  test.each<[string, object, boolean]>([
    ['closed and complete', CITY, true],
    ['without properties', { type: 'object', additionalProperties: false }, true],
    ['with an optional property', { ...CITY, required: [] }, false],
    ['open', { ...CITY, additionalProperties: true }, false],
    ['that is a list', { type: 'array', items: inner }, false],
    ['closed within a list', { ...CITY, properties: { city: { type: 'array', items: inner } } }, true],
    ['open within a list', { ...CITY, properties: { city: { items: { ...inner, required: [] } } } }, false],
    [
      'open in an alternative',
      { ...CITY, properties: { city: { anyOf: [inner, { type: ['object'] }] } } },
      false,
    ],
    ['open in a definition', { ...CITY, $defs: { x: { properties: {} } } }, false],
    [
      'with a property of the name of a keyword',
      { ...CITY, properties: { city: {}, properties: {} }, required: ['city', 'properties'] },
      true,
    ],
  ])('%s: %j is strict at OpenAI: %s', async (_name, schema, strict) => {
    expect(await sentFor(schema as GenerateParameters['response_format'])).toMatchObject({ strict });
  });

  test.each([
    ['Weather', 'Weather'],
    ['  ', '_'],
    ['', 'reply'],
    ['x'.repeat(80), 'x'.repeat(64)],
  ])('with the title "%s" is called %s', async (title, name) => {
    expect((await sentFor({ ...CITY, title })).name).toBe(name);
  });
});

describe('Anthropic', () => {
  const OLDER = '2023-06-01';

  test.each<[GenerateParameters, boolean]>([
    [{ top_p: 0.9 }, true],
    [{ top_k: 9 }, true],
    [{ stop: ['x'], reasoning_effort: 'high', response_format: CITY }, false],
  ])('is sent %j by the API’s version that takes sampling: %s', async (parameters, isOlder) => {
    expect((await asked('anthropic', parameters)).headers['anthropic-version'] === OLDER).toBe(isOlder);
  });

  test.each<[string, GenerateParameters, Sent, string[]]>([
    [
      'claude-opus-5',
      { top_p: 0.9, top_k: 9, reasoning_effort: 'xhigh' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
      ['lm.top_p 0.9 is left out: the model takes none', 'lm.top_k 9 is left out: the model takes none'],
    ],
    [
      'claude-sonnet-4-5',
      { thinking_budget: 2048, top_p: 0.9, top_k: 9, temperature: 0.2 },
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
      [
        'lm.temperature 0.2 is left out: thinking allows none but the default',
        'lm.top_p 0.9 is left out: thinking allows none below 0.95',
        'lm.top_k 9 is left out: thinking allows none',
      ],
    ],
    [
      'claude-sonnet-4-5',
      { thinking_budget: 2048, top_p: 0.97 },
      { thinking: { type: 'enabled', budget_tokens: 2048 }, top_p: 0.97 },
      [],
    ],
    [
      'claude-opus-4-6',
      { reasoning_effort: 'max', temperature: 0.2 },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      ['lm.temperature 0.2 is left out: thinking allows none but the default'],
    ],
    [
      'claude-opus-4-5',
      { reasoning_effort: 'low', temperature: 0.2, response_format: CITY },
      {
        temperature: 0.2,
        output_config: { effort: 'low', format: { type: 'json_schema', schema: CITY } },
      },
      [],
    ],
  ])('is sent for %s with %j', async (model, parameters, sent, adapted) => {
    const asking = await asked('anthropic', parameters, model);
    expect(asking.added).toEqual(sent);
    expect(asking.adapted).toEqual(adapted);
  });
});

test.each([
  ['openai', 'OPENAI_CUSTOM_HEADERS'],
  ['anthropic', 'ANTHROPIC_CUSTOM_HEADERS'],
] as const)('a secret header of a gateway comes to %s from %s', async (kind, variable) => {
  process.env[variable] = 'X-Gateway-Key: from-the-environment\nX-Other: 1';
  try {
    const { headers } = await asked(kind, { extra_headers: { 'X-Title': 'capitals' } });
    expect(headers).toMatchObject({
      'x-gateway-key': 'from-the-environment',
      'x-other': '1',
      'x-title': 'capitals',
    });
  } finally {
    delete process.env[variable];
  }
});
