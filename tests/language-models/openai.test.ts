import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/contracts/language-model.js';
import { initialDialect } from '../../src/language-models/openai.js';
import { failure, fake, modelFor, request, toolChat, weatherTool } from './support.js';

describe('the OpenAI adapter', () => {
  it('sends messages and parameters, and reads text, usage and finish reason', async () => {
    const provider = await fake('openai', {
      reply: () => ({ text: 'Hello.', usage: { input: 12, output: 3 } }),
    });
    const model = await modelFor(provider, { model: 'llama-3' });
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'Yes?' },
      { role: 'user' as const, content: 'Hello?' },
    ];
    const reply = await model.generate(
      request(messages, { parameters: { temperature: 0.2, max_output_tokens: 100 } }),
    );
    expect(reply).toEqual({
      text: 'Hello.',
      usage: { input_tokens: 12, output_tokens: 3 },
      finish_reason: 'stop',
      model: 'llama-3',
    });
    const [asked] = provider.requests;
    expect(asked?.path).toBe('/v1/chat/completions');
    expect(asked?.headers.authorization).toBe('Bearer secret-key-1234');
    expect(asked?.body).toEqual({ model: 'llama-3', messages, temperature: 0.2, max_tokens: 100 });
  });

  it('leaves out parameters that are not set', async () => {
    const provider = await fake('openai');
    await (await modelFor(provider)).generate(request());
    expect(Object.keys(provider.requests[0]?.body)).toEqual(['model', 'messages']);
  });

  it("needs no key for a server of one's own", async () => {
    const provider = await fake('openai');
    const model = await modelFor(provider, { apiKey: undefined });
    expect((await model.generate(request())).text).toBe('107');
    expect(provider.requests[0]?.headers.authorization).toBe('Bearer no-key-needed');
  });

  it('sends tools and reads the calls the model asks for', async () => {
    const toolCalls = [
      { id: 'x1', name: 'get_weather', arguments: { city: 'Oslo' } },
      { id: 'x2', name: 'get_weather', arguments: { city: 'Rome' } },
    ];
    // llama.cpp and Ollama report `stop` beside tool calls.
    const provider = await fake('openai', { reply: () => ({ toolCalls, finish: 'stop' }) });
    const reply = await (await modelFor(provider)).generate(request('Weather?', { tools: [weatherTool] }));
    expect(reply).toMatchObject({ text: '', finish_reason: 'tool_calls' });
    expect(reply.tool_calls).toEqual([
      { id: 'x1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { id: 'x2', name: 'get_weather', arguments: '{"city":"Rome"}' },
    ]);
    expect(provider.requests[0]?.body.tools).toEqual([{ type: 'function', function: weatherTool }]);
  });

  it('sends tool calls and their answers back as they were', async () => {
    const provider = await fake('openai', { reply: () => 'Rome is warmer.' });
    await (await modelFor(provider)).generate(request(toolChat, { tools: [weatherTool] }));
    const [, , asked, first, second] = provider.requests[0]?.body.messages ?? [];
    expect(asked).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
        { id: 'a2', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
      ],
    });
    expect(first).toEqual({ role: 'tool', tool_call_id: 'a1', content: '-3 °C' });
    expect(second).toEqual({ role: 'tool', tool_call_id: 'a2', content: '17 °C' });
  });

  it('gives a tool call without an id the same one in every attempt, and none twice in a chat', async () => {
    const provider = await fake('openai');
    const model = await modelFor(provider);
    const body = JSON.stringify({
      choices: [
        { message: { tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }, finish_reason: null },
      ],
    });
    const raw = { kind: 'raw' as const, body, contentType: 'application/json' };
    provider.next(raw, raw, raw);
    const calls = [];
    for (const ordinal of [0, 0, 1]) {
      const reply = await model.generate(request('?', { call: { purpose: 'agent', ordinal } }));
      calls.push(reply.tool_calls?.[0]);
    }
    expect(calls[0]).toEqual({ id: 'call_agent_0_0', name: 'f', arguments: '{"a":1}' });
    expect(calls[1]).toEqual(calls[0]);
    expect(calls[2]?.id).toBe('call_agent_1_0');
  });

  it('asks a reasoning model again without what it refuses, once for the whole run', async () => {
    const provider = await fake('openai');
    const said: string[] = [];
    const model = await modelFor(provider, { model: 'gpt-5-mini', notify: (message) => said.push(message) });
    const parameters = { temperature: 0.2, max_output_tokens: 50 };
    expect((await model.generate(request('1 + 1', { parameters }))).text).toBe('2');
    expect((await model.generate(request('2 + 2', { parameters }))).text).toBe('4');
    expect(provider.statistics.calls).toBe(4);
    const accepted = provider.requests.at(-1)?.body;
    expect(accepted.max_completion_tokens).toBe(50);
    expect(accepted).not.toHaveProperty('max_tokens');
    expect(accepted).not.toHaveProperty('temperature');
    expect(said).toEqual([expect.stringMatching(/^lm\.temperature 0\.2 is left out: the server says: /)]);
  });

  it("does not ask again when a parameter's value is refused", async () => {
    const provider = await fake('openai');
    const message = 'max_tokens is too large: 999999. This model supports at most 16384 completion tokens.';
    provider.next({ kind: 'status', status: 400, message });
    const call = (await modelFor(provider)).generate(
      request('?', { parameters: { max_output_tokens: 999_999 } }),
    );
    expect(await failure(call)).toMatchObject({ kind: 'bad_request' });
    expect(provider.statistics.calls).toBe(1);
  });

  it('gives up when a server refuses both names of the token limit', async () => {
    const provider = await fake('openai');
    const refuse = (name: string) => ({
      kind: 'status' as const,
      status: 400,
      message: `Unsupported parameter: '${name}'`,
    });
    provider.next(refuse('max_tokens'), refuse('max_completion_tokens'));
    const call = (await modelFor(provider)).generate(request('?', { parameters: { max_output_tokens: 9 } }));
    expect((await failure(call)).kind).toBe('bad_request');
    expect(provider.statistics.calls).toBe(2);
  });

  it('sends a thinking budget as a reasoning effort', async () => {
    const provider = await fake('openai');
    const model = await modelFor(provider);
    for (const thinking_budget of [0, 1000, 5000, 20_000, -1]) {
      await model.generate(request('?', { parameters: { thinking_budget } }));
    }
    const efforts = provider.requests.map(({ body }) => body.reasoning_effort);
    expect(efforts).toEqual(['none', 'low', 'medium', 'high', undefined]);
  });

  it('finds the error that a gateway hides in an answer of status 200', async () => {
    const provider = await fake('openai');
    const body = JSON.stringify({ error: { code: 429, message: 'upstream is rate limited' } });
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    expect(await failure((await modelFor(provider)).generate(request()))).toMatchObject({
      kind: 'rate_limited',
      status: 429,
      retryable: true,
    });
  });

  it('keeps what a server says that does not wrap it in an error', async () => {
    const provider = await fake('openai');
    const body = '{"object":"error","message":"The model `foo` does not exist.","code":404}';
    provider.next({ kind: 'raw', status: 404, body, contentType: 'application/json' });
    const error = await failure((await modelFor(provider)).generate(request()));
    expect(error.message).toMatch(
      /^openai at 127\.0\.0\.1:\d+ does not know .*: The model `foo` does not exist\.$/,
    );
  });

  it.each([
    ['no choices', '{"choices":[]}', 'choices is empty'],
    ['no message', '{"choices":[{"index":0}]}', 'choices.0.message'],
  ])('names what is missing in a reply with %s', async (_name, body, expected) => {
    const provider = await fake('openai');
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    const error = await failure((await modelFor(provider)).generate(request()));
    expect(error.kind).toBe('malformed_reply');
    expect(error.message).toContain(expected);
  });

  it('reads content in parts, a refusal as what the model says, and forgives odd usage', async () => {
    const provider = await fake('openai');
    const model = await modelFor(provider);
    const choice = (message: object) => ({
      kind: 'raw' as const,
      body: JSON.stringify({
        choices: [{ message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 'many' },
      }),
      contentType: 'application/json',
    });
    provider.next(
      choice({ content: [{ type: 'text', text: 'a' }, { text: 'b' }] }),
      choice({ refusal: 'No.' }),
    );
    expect(await model.generate(request())).toEqual({ text: 'ab', finish_reason: 'stop' });
    expect(await model.generate(request())).toEqual({ text: 'No.', finish_reason: 'stop' });
  });

  it.each<[string, object, object]>([
    [
      "xAI's thoughts beside the reply",
      { completion_tokens: 9, total_tokens: 135, completion_tokens_details: { reasoning_tokens: 94 } },
      { output_tokens: 103, reasoning_tokens: 94 },
    ],
    [
      "Gemini's, which only the total counts",
      { completion_tokens: 8, total_tokens: 43 },
      { output_tokens: 11, reasoning_tokens: 3 },
    ],
    [
      "OpenAI's, which the reply's tokens hold",
      { completion_tokens: 50, total_tokens: 82, completion_tokens_details: { reasoning_tokens: 40 } },
      { output_tokens: 50, reasoning_tokens: 40 },
    ],
    [
      'a total with something else',
      { completion_tokens: 50, total_tokens: 99, prompt_tokens_details: { cached_tokens: 17 } },
      { output_tokens: 50 },
    ],
    ['no total', { completion_tokens: 50 }, { output_tokens: 50 }],
    [
      'what OpenAI has written to its cache',
      { completion_tokens: 50, prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 30 } },
      { output_tokens: 50, cache_write_tokens: 30 },
    ],
    [
      'the names of its other protocol',
      {
        prompt_tokens: undefined,
        input_tokens: 32,
        output_tokens: 9000,
        output_tokens_details: { reasoning_tokens: 8000 },
      },
      { output_tokens: 9000, reasoning_tokens: 8000 },
    ],
    [
      'thoughts that neither the reply nor the total counts',
      { completion_tokens: 2, total_tokens: 34, completion_tokens_details: { reasoning_tokens: 317 } },
      { output_tokens: 319, reasoning_tokens: 317 },
    ],
    [
      'cached input that a gateway leaves out',
      { prompt_tokens: 2, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 30 } },
      { output_tokens: 50 },
    ],
    [
      'what it has read there',
      { completion_tokens: 50, prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 0 } },
      { output_tokens: 50 },
    ],
  ])('counts the tokens of %s', async (_what, tokens, output) => {
    const provider = await fake('openai');
    const body = {
      choices: [{ message: { content: 'a' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 32, ...tokens },
      service_tier: 'flex',
    };
    provider.next({ kind: 'raw', body: JSON.stringify(body), contentType: 'application/json' });
    const { usage } = await (await modelFor(provider)).generate(request());
    expect(usage).toEqual({ input_tokens: 32, ...output, service_tier: 'flex' });
  });

  it('sends the thoughts of earlier replies to a server that requires them, and from then on at once', async () => {
    const provider = await fake('openai');
    const model = await modelFor(provider);
    const call = { id: 'c', name: 'look', arguments: '{}' };
    const chat: ChatMessage[] = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: '', tool_calls: [call], reasoning: 'I look.' },
      { role: 'tool', content: 'blue', tool_call_id: 'c' },
    ];
    const message = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    provider.next({ kind: 'status', status: 400, message });
    await model.generate(request(chat, { parameters: { reasoning_effort: 'high' } }));
    await model.generate(request(chat));
    const sent = provider.requests.map(({ body }) => body.messages[1].reasoning_content);
    expect(sent).toEqual([undefined, 'I look.', 'I look.']);
    expect(provider.requests[1]?.body.reasoning_effort).toBe('high');
  });

  it('sends ids that a server allows, each result with that of its call, where it refuses others', async () => {
    const provider = await fake('openai');
    const model = await modelFor(provider);
    const ids = ['functions.look:0', 'functions.look.0', 'abcDEF123'];
    const chat: ChatMessage[] = [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })),
      },
      ...ids.map((id): ChatMessage => ({ role: 'tool', content: 'blue', tool_call_id: id })),
    ];
    await model.generate(request(chat));
    const words = 'Tool call id was functions.look:0 but must be a-z, A-Z, 0-9, with a length of 9.';
    provider.next({ kind: 'status', status: 400, message: words });
    expect(await model.generate(request(chat))).not.toHaveProperty('adapted');
    await model.generate(request(chat));
    const sent = provider.requests.map(({ body: { messages } }) => ({
      calls: messages[1].tool_calls.map(({ id }: { id: string }) => id),
      results: messages.slice(2).map(({ tool_call_id: id }: { tool_call_id: string }) => id),
    }));
    expect(sent[0]?.calls).toEqual(ids);
    expect(sent[1]?.calls).toEqual(ids);
    expect(sent[3]).toEqual(sent[2]);
    expect(sent[2]?.results).toEqual(sent[2]?.calls);
    expect(new Set(sent[2]?.calls).size).toBe(3);
    expect(sent[2]?.calls).toEqual(
      [/^\w{9}$/, /^\w{9}$/, /^abcDEF123$/].map((id) => expect.stringMatching(id)),
    );
  });

  it('asks for any object in the older way where there are no schemas, and for nothing less than a schema', async () => {
    const provider = await fake('openai');
    const model = await modelFor(provider);
    const message = 'This response_format type is unavailable now';
    const any = { parameters: { response_format: { type: 'object', title: 'verdict' } } };
    provider.next({ kind: 'status', status: 400, message });
    const { adapted } = await model.generate(request('As JSON.', any));
    await model.generate(request('As JSON.', any));
    const sent = provider.requests.map(({ body }) => body.response_format.type);
    expect(sent).toEqual(['json_schema', 'json_object', 'json_object']);
    expect(adapted).toEqual([`lm.response_format is sent as json_object: the server says: ${message}`]);
    const whole = { parameters: { response_format: { type: 'object', properties: { a: {} } } } };
    provider.next({ kind: 'status', status: 400, message });
    expect(await failure(model.generate(request('As JSON.', whole)))).toMatchObject({ kind: 'bad_request' });
    expect(provider.requests.at(-1)?.body.response_format.type).toBe('json_schema');
  });

  it.each([
    ['https://api.openai.com/v1', 'gpt-4o', 'max_completion_tokens', true],
    ['https://api.openai.com/v1', 'gpt-5-mini', 'max_completion_tokens', false],
    ['https://api.openai.com/v1', 'gpt-5-chat-latest', 'max_completion_tokens', true],
    ['https://api.openai.com/v1', 'gpt-5-2025-08-07', 'max_completion_tokens', false],
    ['https://api.openai.com/v1', 'gpt-5.1', 'max_completion_tokens', true],
    ['https://api.openai.com/v1', 'gpt-5.4-mini', 'max_completion_tokens', true],
    ['https://api.openai.com/v1', 'gpt-6-sol', 'max_completion_tokens', false],
    ['https://eu.api.openai.com/v1', 'o4-mini', 'max_completion_tokens', false],
    ['http://127.0.0.1:11434/v1', 'gpt-oss', 'max_tokens', true],
    ['https://gateway.example/v1', 'openai/gpt-5', 'max_tokens', true],
  ])('begins at %s with %s: %s, temperature %s', (baseUrl, model, tokenField, sendTemperature) => {
    expect(initialDialect(model, baseUrl)).toMatchObject({ tokenField, temperature: sendTemperature });
  });
});
