import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChatMessage } from '../../src/contracts/language-model.js';
import { bedrockLanguageModel } from '../../src/language-models/bedrock.js';
import { failure, fake, modelFor, request, toolChat, weatherTool } from './support.js';

afterEach(() => vi.unstubAllEnvs());

describe('the Bedrock adapter', () => {
  it('sends system texts, turns and parameters, and reads text, thoughts, usage and stop reason', async () => {
    const provider = await fake('bedrock', {
      reply: () => ({ text: 'Hello.', thoughts: 'Hm.', usage: { input: 12, output: 3, cached: 5 } }),
    });
    const reply = await (await modelFor(provider)).generate(
      request(
        [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: '' },
          { role: 'user', content: 'Hello?' },
        ],
        { parameters: { temperature: 0.2, max_output_tokens: 100 } },
      ),
    );
    expect(reply).toEqual({
      text: 'Hello.',
      reasoning: 'Hm.',
      usage: { input_tokens: 17, output_tokens: 3 },
      finish_reason: 'stop',
    });
    const [asked] = provider.requests;
    expect(asked?.path).toBe('/model/meta.llama4-v1%3A0/converse');
    expect(asked?.headers.authorization).toBe('Bearer secret-key-1234');
    expect(asked?.body).toEqual({
      system: [{ text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { text: 'Hello?' }] }],
      inferenceConfig: { temperature: 0.2, maxTokens: 100 },
    });
  });

  it('signs with an access key where there is no key of Bedrock', async () => {
    const provider = await fake('bedrock');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI');
    vi.stubEnv('AWS_SESSION_TOKEN', 'session');
    const model = await modelFor(provider, { apiKey: undefined });
    await model.generate(request('Hi', { parameters: { extra_headers: { 'X-Team': 'evals' } } }));
    const headers = provider.requests[0]?.headers;
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=/,
    );
    expect(headers).toMatchObject({ 'x-amz-security-token': 'session', 'x-team': 'evals' });
  });

  it('says what to set where it finds no credentials, and sends nothing', async () => {
    const provider = await fake('bedrock');
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_BEARER_TOKEN_BEDROCK'])
      vi.stubEnv(name, undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    const error = await failure((await modelFor(provider, { apiKey: undefined })).generate(request()));
    expect(error).toMatchObject({ kind: 'authentication', fatalForRun: true });
    expect(error.message).toContain('set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and');
    vi.stubEnv('AWS_REGION', undefined);
    vi.stubEnv('AWS_DEFAULT_REGION', undefined);
    const nowhere = bedrockLanguageModel({ model: 'm', apiKey: 'k', timeoutMs: 5000 });
    expect(await failure(nowhere.generate(request()))).toMatchObject({
      kind: 'configuration',
      message: 'bedrock needs a region: set AWS_REGION',
    });
    expect(provider.statistics.calls).toBe(0);
  });

  it('sends tools, calls and answers, and reads calls', async () => {
    const toolCalls = [{ id: 'theirs', name: 'get_weather', arguments: { city: 'Oslo' } }];
    const provider = await fake('bedrock', { reply: () => ({ toolCalls }) });
    const reply = await (await modelFor(provider)).generate(request(toolChat, { tools: [weatherTool] }));
    expect(reply).toMatchObject({ text: '', finish_reason: 'tool_calls' });
    expect(reply.tool_calls).toEqual([{ id: 'theirs', name: 'get_weather', arguments: '{"city":"Oslo"}' }]);
    const { name, description, parameters } = weatherTool;
    const call = (toolUseId: string, city: string) => ({ toolUse: { toolUseId, name, input: { city } } });
    const answer = (toolUseId: string, text: string) => ({ toolResult: { toolUseId, content: [{ text }] } });
    expect(provider.requests[0]?.body).toMatchObject({
      toolConfig: { tools: [{ toolSpec: { name, description, inputSchema: { json: parameters } } }] },
      messages: [
        { role: 'user', content: [{ text: 'Compare the weather of Oslo and Rome.' }] },
        { role: 'assistant', content: [call('a1', 'Oslo'), call('a2', 'Rome')] },
        { role: 'user', content: [answer('a1', '-3 °C'), answer('a2', '17 °C')] },
      ],
    });
  });

  it('sends ids that the API takes, each result with that of its call', async () => {
    const provider = await fake('bedrock');
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
    const calls = body.messages[1].content.map(
      (block: { toolUse: { toolUseId: string } }) => block.toolUse.toolUseId,
    );
    expect(calls).toEqual([ids[0], ...Array(3).fill(expect.stringMatching(/^[A-Za-z0-9]{9}$/))]);
    expect(new Set(calls).size).toBe(4);
    expect(
      body.messages[2].content.map(
        (block: { toolResult: { toolUseId: string } }) => block.toolResult.toolUseId,
      ),
    ).toEqual(calls);
  });

  it('sends images before the text', async () => {
    const provider = await fake('bedrock');
    const images = [{ key: 'images/a.png', media_type: 'image/png' }];
    await (await modelFor(provider)).generate({
      ...request([{ role: 'user', content: 'What is it?', images }]),
      images: { 'images/a.png': 'aGk=' },
    });
    expect(provider.requests[0]?.body.messages[0].content).toEqual([
      { image: { format: 'png', source: { bytes: 'aGk=' } } },
      { text: 'What is it?' },
    ]);
  });

  it.each([
    ['eu.anthropic.claude-sonnet-4-20250514-v1:0', { thinking: { type: 'enabled', budget_tokens: 2048 } }],
    [
      'us.anthropic.claude-opus-4-8',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low', note: 1 } },
    ],
    ['us.amazon.nova-2-lite-v1:0', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    ['openai.gpt-oss-120b-1:0', { reasoning_effort: 'low' }],
  ])('lets %s think as its maker calls it', async (name, fields) => {
    const provider = await fake('bedrock');
    const extra = 'output_config' in fields ? { extra_body: { output_config: { note: 1 } } } : {};
    const parameters = { thinking_budget: 2048, temperature: 0.2, max_output_tokens: 4000, ...extra };
    const reply = await (await modelFor(provider, { model: name })).generate(request('Hi', { parameters }));
    const { body } = provider.requests[0] ?? {};
    expect(body.additionalModelRequestFields).toEqual(fields);
    const isClaude = name.includes('claude');
    expect(body.inferenceConfig).toEqual({ maxTokens: 4000, ...(!isClaude && { temperature: 0.2 }) });
    expect(reply.adapted?.[0] ?? '').toMatch(
      isClaude ? /^(?:lm\.temperature 0\.2|the model takes no)/ : /^$/,
    );
  });

  it('asks an inference profile by its ARN', async () => {
    const provider = await fake('bedrock');
    const model = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc';
    await (await modelFor(provider, { model })).generate(request());
    expect(provider.requests[0]?.model).toBe(model);
  });

  it.each([
    [
      { status: 424, message: 'The model failed.' },
      { kind: 'server', retryable: true },
    ],
    [
      { status: 429, message: 'Too many tokens per day, please wait before trying again.' },
      { kind: 'quota_exhausted', fatalForRun: true },
    ],
    [
      { status: 429, message: 'Too many requests' },
      { kind: 'rate_limited', retryable: true },
    ],
  ])('understands %j', async (refused, expected) => {
    const provider = await fake('bedrock');
    provider.next({ kind: 'status', ...refused });
    expect(await failure((await modelFor(provider)).generate(request()))).toMatchObject(expected);
  });

  it.each(['content_filtered', 'guardrail_intervened'])(
    'takes %s for a reply withheld',
    async (stopReason) => {
      const provider = await fake('bedrock');
      const body = JSON.stringify({
        output: { message: { role: 'assistant', content: [{ text: 'Half' }] } },
        stopReason,
        usage: { inputTokens: 9, outputTokens: 1, totalTokens: 10 },
      });
      provider.next({ kind: 'raw', body, contentType: 'application/json' });
      expect(await failure((await modelFor(provider)).generate(request()))).toMatchObject({
        kind: 'content_filter',
        usage: { input_tokens: 9, output_tokens: 1 },
      });
    },
  );
});
