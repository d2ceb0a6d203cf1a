import { describe, expect, it } from 'vitest';
import { geminiLanguageModel } from '../../src/language-models/gemini.js';
import { failure, fake, modelFor, request, toolChat, weatherTool } from './support.js';

describe('the Gemini adapter', () => {
  it('sends system instruction, roles and parameters, and reads text, usage and finish reason', async () => {
    const provider = await fake('gemini', {
      reply: () => ({ text: 'Hello.', thoughts: 'Hm.', usage: { input: 12, output: 3, thoughts: 40 } }),
    });
    const reply = await (await modelFor(provider)).generate(
      request(
        [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Yes?' },
          { role: 'user', content: 'Hello?' },
        ],
        { parameters: { temperature: 0.2, max_output_tokens: 100, thinking_budget: 512 } },
      ),
    );
    expect(reply).toEqual({
      text: 'Hello.',
      reasoning: 'Hm.',
      usage: { input_tokens: 12, output_tokens: 43, reasoning_tokens: 40 },
      finish_reason: 'stop',
      model: 'gemini-2.5-flash',
    });
    const [asked] = provider.requests;
    expect(asked?.path).toBe('/v1beta/models/gemini-2.5-flash:generateContent');
    expect(asked?.headers['x-goog-api-key']).toBe('secret-key-1234');
    expect(asked?.body).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Yes?' }] },
        { role: 'user', parts: [{ text: 'Hello?' }] },
      ],
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
      generationConfig: {
        temperature: 0.2,
        maxOutputTokens: 100,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 512 },
      },
    });
  });

  it('sends tools and reads function calls, whose missing ids it makes up once and for all', async () => {
    const toolCalls = [
      { name: 'get_weather', arguments: { city: 'Oslo' } },
      { id: 'theirs', name: 'get_weather', arguments: { city: 'Rome' } },
    ];
    const provider = await fake('gemini', { reply: () => ({ toolCalls }) });
    const reply = await (await modelFor(provider)).generate(request('Weather?', { tools: [weatherTool] }));
    expect(reply).toMatchObject({ text: '', finish_reason: 'tool_calls' });
    expect(reply.tool_calls).toEqual([
      { id: 'call_act_0_0', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { id: 'theirs', name: 'get_weather', arguments: '{"city":"Rome"}' },
    ]);
    const { name, description, parameters } = weatherTool;
    expect(provider.requests[0]?.body.tools).toEqual([
      { functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] },
    ]);
  });

  it.each(['gemini-2.5-pro', 'gemini-3-pro-preview', 'gemini-flash-latest'])(
    'sends function calls and their answers back as %s wants them',
    async (model) => {
      const provider = await fake('gemini', { reply: () => 'Rome is warmer.' });
      await (await modelFor(provider, { model })).generate(request(toolChat, { tools: [weatherTool] }));
      const signature = model.startsWith('gemini-2') ? {} : { thoughtSignature: expect.any(String) };
      const call = (id: string, city: string) => ({
        functionCall: { id, name: 'get_weather', args: { city } },
      });
      const answer = (id: string, output: string) => ({
        functionResponse: { id, name: 'get_weather', response: { output } },
      });
      expect(provider.requests[0]?.body.contents).toEqual([
        { role: 'user', parts: [{ text: 'Compare the weather of Oslo and Rome.' }] },
        { role: 'model', parts: [{ ...call('a1', 'Oslo'), ...signature }, call('a2', 'Rome')] },
        { role: 'user', parts: [answer('a1', '-3 °C'), answer('a2', '17 °C')] },
      ]);
    },
  );

  it('refuses a tool answer that nobody asked for before sending anything', async () => {
    const provider = await fake('gemini');
    const chat = [...toolChat, { role: 'tool' as const, content: '?', tool_call_id: 'a9' }];
    const error = await failure((await modelFor(provider)).generate(request(chat)));
    expect(error).toMatchObject({ kind: 'bad_request', retryable: false });
    expect(error.message).toBe('message 6 answers the tool call "a9", which no earlier message asked for');
    expect(provider.statistics.calls).toBe(0);
  });

  it('leaves out an empty message, which the API refuses', async () => {
    const provider = await fake('gemini');
    await (await modelFor(provider)).generate(
      request([
        { role: 'user', content: '1 + 1' },
        { role: 'assistant', content: '' },
        { role: 'user', content: '2 + 3' },
      ]),
    );
    expect(provider.requests[0]?.body.contents).toEqual([
      { role: 'user', parts: [{ text: '1 + 1' }, { text: '2 + 3' }] },
    ]);
  });

  it("takes a blocked prompt for one sample's error", async () => {
    const provider = await fake('gemini');
    const body = JSON.stringify({
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 9 },
    });
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    expect(await failure((await modelFor(provider)).generate(request()))).toMatchObject({
      kind: 'content_filter',
      fatalForRun: false,
      retryable: false,
      usage: { input_tokens: 9, output_tokens: 0 },
    });
  });

  it('sends one request even if the reply could be continued, and reports it as cut off', async () => {
    const provider = await fake('gemini');
    const content = { role: 'model', parts: [{ text: 'So far' }] };
    const candidates = [{ content, finishReason: 'CONTINUATION', continuationToken: 'dG9rZW4=' }];
    provider.next({ kind: 'raw', body: JSON.stringify({ candidates }), contentType: 'application/json' });
    expect(await (await modelFor(provider)).generate(request())).toMatchObject({
      text: 'So far',
      finish_reason: 'length',
    });
    expect(provider.statistics.calls).toBe(1);
  });

  it.each([
    ['/v1beta', '/v1beta/'],
    ['/v1/', '/v1/'],
    ['', '/v1beta/'],
  ])('understands a base_url that ends in "%s"', async (suffix, expected) => {
    const provider = await fake('gemini');
    const baseUrl = `${provider.baseUrl}${suffix}`;
    const model = geminiLanguageModel({ model: 'gemini-2.5-flash', apiKey: 'k', timeoutMs: 5000, baseUrl });
    await model.generate(request());
    expect(provider.requests[0]?.path).toBe(`${expected}models/gemini-2.5-flash:generateContent`);
  });

  it('ignores what the environment says about Vertex AI and addresses', async () => {
    const provider = await fake('gemini');
    process.env.GOOGLE_GENAI_USE_VERTEXAI = 'true';
    process.env.GOOGLE_GEMINI_BASE_URL = 'http://127.0.0.1:1';
    try {
      expect((await (await modelFor(provider)).generate(request())).text).toBe('107');
    } finally {
      delete process.env.GOOGLE_GENAI_USE_VERTEXAI;
      delete process.env.GOOGLE_GEMINI_BASE_URL;
    }
  });
});
