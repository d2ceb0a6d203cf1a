import { afterEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../src/config/providers.js';
import type { GenerateReply, GenerateRequest } from '../../src/contracts/language-model.js';
import { createLanguageModel } from '../../src/language-models/create.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import {
  estimatedUsage,
  mostUsage,
  reportedUsage,
  unrecordedOf,
  usageOfFailure,
  withUsage,
} from '../../src/language-models/usage.js';
import type { ProviderKind } from '../support/fake-providers/behaviours.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';

const request: GenerateRequest = {
  messages: [
    { role: 'system', content: 'Answer.' },
    { role: 'user', content: 'What is 1 + 2?' },
  ],
  parameters: { max_output_tokens: 100 },
  call: { sample_id: 's', trial: 0, purpose: 'act', ordinal: 0 },
};
const reply: GenerateReply = { text: 'It is 3.', finish_reason: 'stop' };
// 7, 14 and 8 bytes, three to a token, and four tokens around each message.
const INPUT = 3 + 4 + 5 + 4;
const OUTPUT = 3;

describe('reported usage', () => {
  it.each([
    [7, 3, true],
    [0, 0, true],
    [-7, 3, false],
    [7, -3, false],
    [7.5, 3, false],
    [7, Number.NaN, false],
    [Number.POSITIVE_INFINITY, 3, false],
    [1e300, 3, false],
    ['7', 3, false],
    [undefined, 3, false],
    [7, null, false],
    [7, [3], false],
  ])('%j and %j tokens: %j', (input, output, isUsage) => {
    const usage = { input_tokens: input, output_tokens: output };
    expect(reportedUsage([input], [output])).toEqual(isUsage ? usage : undefined);
  });
});

it('is reported in parts, each of them a natural number', () => {
  expect(reportedUsage([7, 0, 2], [3, 1])).toEqual({ input_tokens: 9, output_tokens: 4 });
  expect(reportedUsage([7, -2], [3])).toBeUndefined();
  expect(reportedUsage([7], [3, 0.5])).toBeUndefined();
  expect(reportedUsage([Number.MAX_SAFE_INTEGER, 1], [3])).toBeUndefined();
});

describe('estimated usage', () => {
  it('is that of the text', () => {
    expect(estimatedUsage(request, reply)).toEqual({ input_tokens: INPUT, output_tokens: OUTPUT });
  });

  it('counts what is not English by its bytes', () => {
    const german = { ...reply, text: 'größe' };
    const chinese = { ...reply, text: '三角形' };
    expect(estimatedUsage(request, german).output_tokens).toBe(3);
    expect(estimatedUsage(request, chinese).output_tokens).toBe(3);
  });

  it('counts tools, tool calls and thoughts that were paid for', () => {
    const tools = [{ name: 'add', parameters: { type: 'object' } }];
    const tool_calls = [{ id: '1', name: 'add', arguments: '{"a": 1}' }];
    const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 3);
    const offered = { ...request, tools, parameters: { thinking_budget: 50 } };
    expect(estimatedUsage(offered, { ...reply, tool_calls })).toEqual({
      input_tokens: INPUT + tokens(tools),
      output_tokens: OUTPUT + tokens(tool_calls) + 50,
    });
    const after = {
      ...request,
      messages: [...request.messages, { role: 'assistant' as const, content: '', tool_calls }],
    };
    expect(estimatedUsage(after, reply).input_tokens).toBe(INPUT + 4 + tokens(tool_calls));
  });

  it('is never more than the model may say, and that much where it was cut off', () => {
    const long = { ...reply, text: 'x'.repeat(900) };
    expect(estimatedUsage(request, long).output_tokens).toBe(100);
    expect(estimatedUsage(request, { ...reply, finish_reason: 'length' }).output_tokens).toBe(100);
    const free = { ...request, parameters: {} };
    expect(estimatedUsage(free, long).output_tokens).toBe(300);
    expect(estimatedUsage(free, { ...long, finish_reason: 'length' }).output_tokens).toBe(300);
  });

  it('stands where the reported one cannot be true, and says so', () => {
    const estimated = { usage: estimatedUsage(request, reply), usage_estimated: true };
    expect(withUsage(request, reply)).toEqual({ ...reply, ...estimated });
    for (const usage of [
      { input_tokens: 0, output_tokens: 0 },
      { input_tokens: 9, output_tokens: 0 },
      { input_tokens: 0, output_tokens: 9 },
    ]) {
      expect(withUsage(request, { ...reply, usage })).toEqual({ ...reply, ...estimated });
    }
    const usage = { input_tokens: 9, output_tokens: 0 };
    const empty: GenerateReply = { text: '', finish_reason: 'content_filter', usage };
    expect(withUsage(request, empty)).toBe(empty);
  });
});

describe('a request without a reply', () => {
  const failure = (kind: LanguageModelError['kind'], details: object = {}, provider = 'openai') =>
    new LanguageModelError(kind, 'x', { provider, ...details });
  const nothing = { input_tokens: 0, output_tokens: 0 };
  const most = { input_tokens: INPUT, output_tokens: 100 };

  it.each([
    ['that was refused costs nothing', failure('rate_limited', { status: 429 }), nothing],
    ['that the server failed on costs nothing', failure('server', { status: 500 }), nothing],
    ['that is cut off may have cost all', failure('connection'), most],
    ['that ran out of time may have cost all', failure('timeout'), most],
    ['whose reply is none may have cost all', failure('malformed_reply'), most],
    [
      'whose reply is none costs what is reported',
      failure('malformed_reply', { usage: { input_tokens: 7, output_tokens: 5 } }),
      { input_tokens: 7, output_tokens: 5 },
    ],
    ['that never arrived was not sent', failure('connection', { isUnsent: true }), null],
    ['without a key was not sent', failure('authentication'), null],
    ['that a recording has no row for was not sent', failure('no_such_row', {}, 'replay'), null],
    ['of a model without a network costs nothing', failure('timeout', {}, 'scripted'), nothing],
  ])('%s', (_, error, usage) => {
    expect(usageOfFailure(request, error)).toEqual(usage);
  });

  it('that was refused costs nothing of a model without a price, and one that is cut off an unknown sum', () => {
    const model = { costOf: () => null };
    const refused = failure('bad_request', { status: 400 });
    expect(unrecordedOf(model, request, refused)).toEqual({ requests: 1, usage: nothing, cost_usd: 0 });
    expect(unrecordedOf(model, request, failure('timeout'))?.cost_usd).toBeNull();
  });

  it('has no bound of what was said where the model has none', () => {
    expect(mostUsage({ ...request, parameters: {} })).toEqual({ input_tokens: INPUT, output_tokens: 0 });
  });
});

describe.each<[Provider, string, (input: unknown, output: unknown) => unknown]>([
  [
    'openai',
    'choices',
    (input, output) => ({
      choices: [{ message: { content: 'It is 3.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: input, completion_tokens: output },
    }),
  ],
  [
    'anthropic',
    'content',
    (input, output) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'It is 3.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: input, output_tokens: output },
    }),
  ],
  [
    'gemini',
    'candidates',
    (input, output) => ({
      candidates: [{ content: { role: 'model', parts: [{ text: 'It is 3.' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output },
    }),
  ],
  [
    'bedrock',
    'output',
    (inputTokens, outputTokens) => ({
      output: { message: { role: 'assistant', content: [{ text: 'It is 3.' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens, outputTokens },
    }),
  ],
])('what %s reports', (name, field, body) => {
  let provider: FakeProvider;
  afterEach(() => provider.close());

  async function answered(sent: unknown) {
    provider = await startFakeProvider(name as ProviderKind);
    provider.next({ kind: 'raw', body: JSON.stringify(sent), contentType: 'application/json' });
    const settings = { provider: name, model: 'm', timeout_sec: 5, base_url: provider.baseUrl };
    const environment = {
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      GEMINI_API_KEY: 'k',
      AWS_BEARER_TOKEN_BEDROCK: 'k',
    };
    const { model } = await createLanguageModel(settings, { environment });
    return model.generate(request).catch((error: unknown) => error);
  }

  it('is believed where it can be true', async () => {
    const given = await answered(body(7, 5));
    expect(given).toMatchObject({ text: 'It is 3.', usage: { input_tokens: 7, output_tokens: 5 } });
    expect(given).not.toHaveProperty('usage_estimated');
  });

  it.each([
    [-600, 5],
    [7, -600],
    [7.25, 5],
    ['7', 5],
    [null, 5],
    [0, 0],
  ])('as %j and %j is no usage: it is estimated', async (input, output) => {
    const usage = { input_tokens: INPUT, output_tokens: OUTPUT };
    expect(await answered(body(input, output))).toMatchObject({ usage, usage_estimated: true });
  });

  it('counts also where its reply is none', async () => {
    const { [field]: _reply, ...rest } = body(7, 5) as Record<string, unknown>;
    const error = await answered(rest);
    expect(error).toMatchObject({ kind: 'malformed_reply' });
    expect(usageOfFailure(request, error as LanguageModelError)).toEqual({
      input_tokens: 7,
      output_tokens: 5,
    });
  });
});

it('a server that is not there was sent nothing', async () => {
  const provider = await startFakeProvider('openai');
  const { baseUrl } = provider;
  await provider.close();
  const settings = { provider: 'openai' as const, model: 'm', timeout_sec: 5, base_url: baseUrl };
  const { model } = await createLanguageModel(settings, { environment: {} });
  const error = await model.generate(request).catch((failed: unknown) => failed);
  expect(error).toMatchObject({ kind: 'connection', isUnsent: true });
});
