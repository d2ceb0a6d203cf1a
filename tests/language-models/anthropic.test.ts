import { describe, expect, it, vi } from 'vitest';
import type { ChatMessage } from '../../src/contracts/language-model.js';
import { anthropicLanguageModel } from '../../src/language-models/anthropic.js';
import { failure, fake, modelFor, request, toolChat, weatherTool } from './support.js';

const OLDER_VERSION = '2023-06-01';

describe('the Anthropic adapter', () => {
  it('sends the system apart and reads text, usage with the cache, and stop reason', async () => {
    const provider = await fake('anthropic', {
      reply: () => ({ text: 'Hello.', thoughts: 'Hm.', usage: { input: 12, output: 43, cached: 100 } }),
    });
    const reply = await (await modelFor(provider)).generate(
      request(
        [
          { role: 'system', content: 'Be brief.' },
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'Hi' },
          { role: 'user', content: 'Hello?' },
        ],
        { parameters: { temperature: 0.2, max_output_tokens: 100 } },
      ),
    );
    expect(reply).toEqual({
      text: 'Hello.',
      reasoning: 'Hm.',
      usage: { input_tokens: 112, output_tokens: 43 },
      finish_reason: 'stop',
      model: 'claude-sonnet-4-5',
    });
    const [asked] = provider.requests;
    expect(asked?.headers.authorization).toBe('Bearer secret-key-1234');
    expect(asked?.headers['x-api-key']).toBe('secret-key-1234');
    expect(asked?.body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      system: 'Be brief.\n\nBe kind.',
      temperature: 0.2,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: 'Hello?' },
          ],
        },
      ],
    });
  });

  it.each([
    ['claude-3-5-sonnet-20241022', true],
    ['claude-3-7-sonnet-latest', true],
    ['claude-sonnet-4-20250514', true],
    ['claude-opus-4-1-20250805', true],
    ['claude-haiku-4-5', true],
    ['claude-opus-4-6', true],
    ['claude-opus-4-7', false],
    ['claude-opus-4-8', false],
    ['claude-sonnet-5', false],
    ['claude-haiku-5-5', false],
    ['claude-fable-5-2', false],
    ['kimi-k2-turbo-preview', true],
  ])('sends %s a temperature: %s', async (name, takesTemperature) => {
    const provider = await fake('anthropic');
    const said: string[] = [];
    const model = await modelFor(provider, { model: name, notify: (message) => said.push(message) });
    await model.generate(request('?', { parameters: { temperature: 0 } }));
    await model.generate(request('?', { parameters: { temperature: 0 } }));
    const [asked] = provider.requests;
    expect(asked?.body.temperature).toBe(takesTemperature ? 0 : undefined);
    expect(asked?.headers['anthropic-version'] === OLDER_VERSION).toBe(takesTemperature);
    expect(said).toEqual(takesTemperature ? [] : ['lm.temperature 0 is left out: the model takes none']);
  });

  it.each([
    ['a budget that fits', { thinking_budget: 2048, max_output_tokens: 4000 }, 4000, 2048],
    [
      'too small a budget, which is raised to 1,024',
      { thinking_budget: 10, max_output_tokens: 4000 },
      4000,
      1024,
    ],
    [
      'a budget above the token limit, to which it is added',
      { thinking_budget: 5000, max_output_tokens: 2048 },
      7048,
      5000,
    ],
  ])('sends an older model %s', async (_name, parameters, max_tokens, budget_tokens) => {
    const provider = await fake('anthropic', { reply: () => ({ text: '7', thoughts: 'three and four' }) });
    const model = await modelFor(provider);
    const reply = await model.generate(request('?', { parameters: { ...parameters, temperature: 0.2 } }));
    expect(reply.text).toBe('7');
    expect(provider.requests[0]?.body).toMatchObject({
      max_tokens,
      thinking: { type: 'enabled', budget_tokens },
    });
    expect(provider.requests[0]?.body).not.toHaveProperty('temperature');
  });

  it.each([
    [0, { type: 'disabled' }, undefined],
    [-1, { type: 'adaptive' }, undefined],
    [2000, { type: 'adaptive' }, { effort: 'low' }],
    [16_000, { type: 'adaptive' }, { effort: 'high' }],
  ])(
    'sends a newer model the thinking budget %i in its own words',
    async (thinking_budget, thinking, output_config) => {
      const provider = await fake('anthropic');
      const model = await modelFor(provider, { model: 'claude-opus-5' });
      await model.generate(request('?', { parameters: { thinking_budget, max_output_tokens: 500 } }));
      expect(provider.requests[0]?.body).toMatchObject({ max_tokens: 500, thinking });
      expect(provider.requests[0]?.body.output_config).toEqual(output_config);
    },
  );

  it('sends tools and reads the calls the model asks for', async () => {
    const toolCalls = [{ id: 't1', name: 'get_weather', arguments: { city: 'Oslo' } }];
    const provider = await fake('anthropic', { reply: () => ({ text: 'Let me see.', toolCalls }) });
    const reply = await (await modelFor(provider)).generate(request('Weather?', { tools: [weatherTool] }));
    expect(reply).toMatchObject({
      text: 'Let me see.',
      finish_reason: 'tool_calls',
      tool_calls: [{ id: 't1', name: 'get_weather', arguments: '{"city":"Oslo"}' }],
    });
    const { name, description, parameters } = weatherTool;
    expect(provider.requests[0]?.body.tools).toEqual([{ name, description, input_schema: parameters }]);
  });

  it('sends tool calls back with all their answers in one turn, and without manual thinking', async () => {
    const provider = await fake('anthropic', { reply: () => 'Rome is warmer.' });
    const parameters = { thinking_budget: 2048, max_output_tokens: 4000 };
    await (await modelFor(provider)).generate(request(toolChat, { tools: [weatherTool], parameters }));
    const { body } = provider.requests[0] ?? {};
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a1', name: 'get_weather', input: { city: 'Oslo' } },
          { type: 'tool_use', id: 'a2', name: 'get_weather', input: { city: 'Rome' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a1', content: '-3 °C' },
          { type: 'tool_result', tool_use_id: 'a2', content: '17 °C' },
        ],
      },
    ]);
    expect(body).not.toHaveProperty('thinking');
  });

  it('sends ids that the API takes, each result with that of its call', async () => {
    const provider = await fake('anthropic');
    const ids = ['toolu_01-A', 'functions.look:0', 'functions.look.0', 'a'.repeat(65)];
    const chat: ChatMessage[] = [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })),
      },
      ...ids.map((id): ChatMessage => ({ role: 'tool', content: 'blue', tool_call_id: id })),
    ];
    await (await modelFor(provider)).generate(request(chat, { tools: [weatherTool] }));
    const { body } = provider.requests[0] ?? {};
    const calls = body.messages[1].content.map((block: { id: string }) => block.id);
    expect(calls).toEqual([ids[0], ...Array(3).fill(expect.stringMatching(/^[A-Za-z0-9]{9}$/))]);
    expect(new Set(calls).size).toBe(4);
    expect(body.messages[2].content.map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(
      calls,
    );
  });

  it('keeps arguments that are no JSON in the chat', async () => {
    const provider = await fake('anthropic', { reply: () => 'Again?' });
    const chat = structuredClone(toolChat);
    for (const call of chat[2]?.tool_calls ?? []) call.arguments = '{"city": Oslo';
    await (await modelFor(provider)).generate(request(chat, { tools: [weatherTool] }));
    expect(provider.requests[0]?.body.messages[1].content[0].input).toEqual({ input: '{"city": Oslo' });
  });

  it('prints no warnings of the client and accepts long replies without streaming', async () => {
    const warn = vi.spyOn(console, 'warn');
    const provider = await fake('anthropic');
    const model = await modelFor(provider, { model: 'claude-sonnet-4-5' });
    await model.generate(request('?', { parameters: { max_output_tokens: 64_000 } }));
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('sends a default token limit, which the API demands', async () => {
    const provider = await fake('anthropic');
    await (await modelFor(provider)).generate(request());
    expect(provider.requests[0]?.body.max_tokens).toBe(4096);
  });

  it('understands a base_url that ends in /v1', async () => {
    const provider = await fake('anthropic');
    const baseUrl = `${provider.baseUrl}/v1/`;
    const model = anthropicLanguageModel({ model: 'claude-opus-5', apiKey: 'k', timeoutMs: 5000, baseUrl });
    await model.generate(request());
    expect(provider.requests[0]?.path).toBe('/v1/messages');
  });

  it('reports an overloaded service as retryable', async () => {
    const provider = await fake('anthropic');
    provider.next({ kind: 'status', status: 529, message: 'Overloaded' });
    const error = await failure((await modelFor(provider)).generate(request()));
    expect(error).toMatchObject({ kind: 'overloaded', retryable: true });
    expect(error.message).toMatch(/is overloaded \(HTTP 529\): Overloaded$/);
  });
});
