import { afterEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../src/config/providers.js';
import type { GenerateReply, GenerateRequest } from '../../src/contracts/language-model.js';
import { readMessage } from '../../src/language-models/anthropic-wire.js';
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

it('has no part that is larger than its whole', () => {
  expect(reportedUsage([12], [2], 317)).toEqual({
    input_tokens: 12,
    output_tokens: 319,
    reasoning_tokens: 317,
  });
  expect(reportedUsage([12], [317], 317)).toEqual({
    input_tokens: 12,
    output_tokens: 317,
    reasoning_tokens: 317,
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

  it('counts thoughts that are shown, once, and at least as the budget', () => {
    const reasoning = 'x'.repeat(90);
    const free = { ...request, parameters: {} };
    expect(estimatedUsage(free, { ...reply, reasoning }).output_tokens).toBe(OUTPUT + 30);
    const budget = (thinking_budget: number) => ({ ...request, parameters: { thinking_budget } });
    expect(estimatedUsage(budget(50), { ...reply, reasoning }).output_tokens).toBe(OUTPUT + 50);
    expect(estimatedUsage(budget(10), { ...reply, reasoning }).output_tokens).toBe(OUTPUT + 30);
    expect(estimatedUsage(free, { ...reply, text: `<think>${reasoning}</think>` }).output_tokens).toBe(35);
    const usage = { input_tokens: 9, output_tokens: 0 };
    expect(withUsage(free, { text: '', reasoning, finish_reason: 'stop', usage })).toMatchObject({
      usage: { output_tokens: 30 },
      usage_estimated: true,
    });
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
    expect(withUsage(request, empty)).toEqual(empty);
  });
});

describe('a reply with just as many tokens as it may have', () => {
  const usage = { input_tokens: 9, output_tokens: 100 };
  const call = (text: string) => ({ tool_calls: [{ id: '1', name: 'add', arguments: text }] });

  it.each<[string, Partial<GenerateReply>, string]>([
    ['was cut off', {}, 'length'],
    ['was cut off, whatever the word', { finish_reason: 'unknown' }, 'length'],
    ['was cut off in its thoughts', { text: '', reasoning: 'so' }, 'length'],
    [
      'was cut off beside its thoughts',
      { usage: { ...usage, output_tokens: 350, reasoning_tokens: 250 } },
      'length',
    ],
    ['was cut off in a tool call', { ...call('{"a": '), finish_reason: 'tool_calls' }, 'length'],
    ['has whole tool calls', { ...call('{"a": 1}'), finish_reason: 'tool_calls' }, 'tool_calls'],
    ['has fewer', { usage: { ...usage, output_tokens: 99 } }, 'stop'],
    ['has more, from a server without limits', { usage: { ...usage, output_tokens: 101 } }, 'stop'],
    ['is only estimated to have them', { usage: undefined, text: 'x'.repeat(900) }, 'stop'],
  ])('%s', (_, fields, finish_reason) => {
    expect(withUsage(request, { ...reply, usage, ...fields })).toMatchObject({ finish_reason });
  });

  it.each<[string, number, Partial<GenerateReply>, string]>([
    ['a letter', 2, { text: 'B' }, 'stop'],
    ['a letter with its thoughts', 20, { text: 'B', usage: { ...usage, reasoning_tokens: 80 } }, 'stop'],
    ['a sentence', 63, { text: 'The answer is B.' }, 'stop'],
    ['an end that is not told', 2, { finish_reason: 'unknown' }, 'length'],
    ['half a call', 20, { ...call('{"a": '), finish_reason: 'tool_calls' }, 'length'],
    ['a whole call', 20, { ...call('{"a": 1}'), finish_reason: 'tool_calls' }, 'tool_calls'],
    ['half a text', 64, {}, 'length'],
  ])('that are few, is what the server calls it: %s at %d', (_, limit, fields, finish_reason) => {
    const asked = { ...request, parameters: { max_output_tokens: limit } };
    const output_tokens = limit + (fields.usage?.reasoning_tokens ?? 0);
    const given = { ...reply, ...fields, usage: { ...usage, ...fields.usage, output_tokens } };
    expect(withUsage(asked, given)).toMatchObject({ finish_reason });
  });

  it('is whole where there is no limit', () => {
    expect(withUsage({ ...request, parameters: {} }, { ...reply, usage })).toEqual({ ...reply, usage });
  });
});

describe('a prompt of which the server has read a part only', () => {
  const words = (count: number, word = 'word ') => word.repeat(count);
  const readOf = (content: string, input_tokens: number) => {
    const long = { ...request, messages: [{ role: 'user' as const, content }] };
    const given = { ...reply, adapted: ['sent no seed'], usage: { input_tokens, output_tokens: 3 } };
    return withUsage(long, given)
      .adapted?.slice(1)
      .map((sentence) => sentence.slice(0, 44));
  };
  const cut = ['the server reports fewer input tokens than th'.slice(0, 44)];

  it.each<[string, string, number, string[]]>([
    ['of 12,000 words 2,050 tokens', words(12_000), 2050, cut],
    ['of 6,000 words 4,096 tokens', words(6000), 4096, cut],
    ['of 20,000 characters of Chinese 2,048 tokens', '我们今天去看书'.repeat(3000), 2048, cut],
    ['a whole one', words(6000), 7800, []],
    ['a token a word', words(6000), 6000, []],
    ['a whole Chinese one', '我们今天去看书'.repeat(3000), 13_000, []],
    ['spaces', `a${' '.repeat(60_000)}b`, 500, []],
    ['dashes', '-'.repeat(60_000), 900, []],
    ['a program without spaces', 'abc1;'.repeat(9000), 18_000, []],
    ['a short one', words(900), 30, []],
  ])('%s', (_, content, input_tokens, said) => {
    expect(readOf(content, input_tokens)).toEqual(said);
  });
});

describe('the tier of a reply', () => {
  const usage = { input_tokens: 9, output_tokens: 5 };
  const asking = (service_tier: string) => ({ ...request, parameters: { extra_body: { service_tier } } });

  it.each<[string, GenerateRequest, string | undefined, string | undefined]>([
    ['is kept', request, 'flex', 'flex'],
    ['is left out where it is the standard one', request, 'default', undefined],
    ['is the one that was asked for where none is named', asking('priority'), undefined, 'priority'],
    ['is the one that it was served at', asking('priority'), 'default', undefined],
    ['is the standard one where that is asked for', asking('auto'), undefined, undefined],
  ])('%s', (_, asked, service_tier, expected) => {
    for (const given of [
      { ...usage, service_tier },
      { input_tokens: 0, output_tokens: 0, service_tier },
    ]) {
      expect(withUsage(asked, { ...reply, usage: given }).usage?.service_tier).toBe(expected);
    }
  });

  it.each<[string, GenerateRequest, string | undefined, boolean]>([
    ['that nobody asked for', request, 'priority', true],
    ['that was not asked for', asking('flex'), 'priority', true],
    ['that was asked for', asking('flex'), 'flex', false],
    ['that is the standard one', request, 'default', false],
    ['that is the standard one after all', asking('flex'), 'default', false],
    ['that is not named', asking('flex'), undefined, false],
  ])('%s is told where it is another one', (_, asked, service_tier, isTold) => {
    const { adapted } = withUsage(asked, { ...reply, usage: { ...usage, service_tier } });
    const told = `the server answered at the tier ${service_tier}, which may have another price`;
    expect(adapted).toEqual(isTold ? [told] : undefined);
  });

  it('is read of what Anthropic reports', () => {
    const body = { content: [{ type: 'text', text: 'a' }], usage: { ...usage, service_tier: 'priority' } };
    expect(readMessage(body, { serverName: 'x' }).usage).toEqual({ ...usage, service_tier: 'priority' });
  });

  it('is that of what was asked where there is no reply', () => {
    expect(mostUsage(asking('flex'))).toMatchObject({ service_tier: 'flex' });
    expect(mostUsage(asking('default'))).not.toHaveProperty('service_tier');
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
    ['that a gateway gave up on may have cost all', failure('server', { status: 504 }), most],
    ...['gemini', 'vertex'].flatMap((google): [string, LanguageModelError, object][] =>
      [408, 499, 504, 524].map((status) => [
        `that ${google} gave up on with ${status} costs nothing`,
        failure('timeout', { status }, google),
        nothing,
      ]),
    ),
    ['whose connection to Google broke may have cost all', failure('connection', {}, 'gemini'), most],
    ['that timed out at Cloudflare may have cost all', failure('timeout', { status: 524 }), most],
    ['that timed out at a proxy may have cost all', failure('timeout', { status: 408 }), most],
    ['that no server behind the gateway took costs nothing', failure('server', { status: 502 }), nothing],
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
