import { describe, expect, test } from 'vitest';
import { callKeyOf, identityHash, promptKeyOf, sharedCallKeyOf } from '../../src/activities/call-key.js';
import { CallStore } from '../../src/activities/call-store.js';
import { ReplyCache } from '../../src/activities/reply-cache.js';
import { setAsideCalls } from '../../src/activities/set-aside.js';
import type { GenerateParameters, GenerateRequest } from '../../src/contracts/language-model.js';
import { callKey } from '../../src/storage/paths.js';
import { call } from '../support/rows.js';
import { collect, keys, temporaryStore } from './support.js';

const request: GenerateRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
  ],
  parameters: { temperature: 0.2, max_output_tokens: 100 },
  call: { sample_id: 's1', trial: 0, purpose: 'act', ordinal: 0 },
};
const tool = { name: 'look', parameters: {} };

/** Two values of each option: none of them, one and the other are three questions. */
const OPTIONS: {
  [Name in keyof Required<GenerateParameters>]: [
    Required<GenerateParameters>[Name],
    Required<GenerateParameters>[Name],
  ];
} = {
  temperature: [0, 1],
  top_p: [0.9, 1],
  top_k: [1, 2],
  max_output_tokens: [1, 2],
  stop: [['a', 'b'], ['ab']],
  seed: [0, 1],
  frequency_penalty: [0, 0.5],
  presence_penalty: [0, 0.5],
  thinking_budget: [0, 1],
  reasoning_effort: ['low', 'high'],
  logprobs: [0, 1],
  response_format: [{ type: 'object' }, { type: 'array' }],
  extra_body: [{ min_p: 0.1 }, { min_p: 0.2 }],
  extra_headers: [{ 'anthropic-beta': 'a' }, { 'anthropic-beta': 'b' }],
};

/** Changes that ask something else. */
const questions: [string, Partial<GenerateRequest>][] = [
  ['another temperature', { parameters: { ...request.parameters, temperature: 0.3 } }],
  ['no temperature', { parameters: { max_output_tokens: 100 } }],
  ['another length', { parameters: { ...request.parameters, max_output_tokens: 101 } }],
  ['a thinking budget', { parameters: { ...request.parameters, thinking_budget: 0 } }],
  ['another text', { messages: [{ role: 'user', content: 'Hello!' }] }],
  ['the messages in another order', { messages: request.messages.toReversed() }],
  ['another role', { messages: request.messages.map((message) => ({ ...message, role: 'user' as const })) }],
  [
    'the texts cut elsewhere',
    {
      messages: [
        { role: 'system', content: 'Be brief.Hello' },
        { role: 'user', content: '' },
      ],
    },
  ],
  ['a tool', { tools: [tool] }],
  ['a tool’s answer', { messages: request.messages.map((message) => ({ ...message, tool_call_id: '1' })) }],
];

/** Changes that ask the same at another place. */
const places: [string, Partial<GenerateRequest['call']>][] = [
  ['another sample', { sample_id: 's2' }],
  ['another trial', { trial: 1 }],
  ['another purpose', { purpose: 'reflect' }],
  ['another ordinal', { ordinal: 1 }],
];

describe('the key of a call', () => {
  test('is the same for the same question at the same place, however its fields are ordered', () => {
    const { temperature, max_output_tokens } = request.parameters;
    const reordered: GenerateRequest = {
      call: { ordinal: 0, purpose: 'act', trial: 0, sample_id: 's1' },
      parameters: { max_output_tokens, thinking_budget: undefined, temperature },
      messages: request.messages.map(({ role, content }) => ({ content, role })),
    };
    expect(callKeyOf('openai/x', reordered)).toBe(callKeyOf('openai/x', request));
    expect(promptKeyOf('openai/x', reordered)).toBe(promptKeyOf('openai/x', request));
  });

  test.each(Object.entries(OPTIONS))('differs with %s, and with another value of it', (name, values) => {
    const asking = [undefined, ...values].map((value) => ({ ...request, parameters: { [name]: value } }));
    for (const keyOf of [callKeyOf, promptKeyOf]) {
      expect(new Set(asking.map((one) => keyOf('openai/x', one)))).toHaveLength(3);
    }
  });

  test.each(questions)('differs with %s, and so does the prompt’s', (_name, change) => {
    expect(callKeyOf('openai/x', { ...request, ...change })).not.toBe(callKeyOf('openai/x', request));
    expect(promptKeyOf('openai/x', { ...request, ...change })).not.toBe(promptKeyOf('openai/x', request));
  });

  test.each(places)('differs with %s; the prompt’s does not', (_name, change) => {
    const elsewhere = { ...request, call: { ...request.call, ...change } };
    expect(callKeyOf('openai/x', elsewhere)).not.toBe(callKeyOf('openai/x', request));
    expect(promptKeyOf('openai/x', elsewhere)).toBe(promptKeyOf('openai/x', request));
    expect(identityHash(elsewhere.call)).not.toBe(identityHash(request.call));
  });

  test('differs with the model', () => {
    expect(callKeyOf('openai/y', request)).not.toBe(callKeyOf('openai/x', request));
    expect(promptKeyOf('openai/y', request)).not.toBe(promptKeyOf('openai/x', request));
  });

  test('a prompt’s key is no call’s', () => {
    expect(promptKeyOf('openai/x', request)).not.toBe(callKeyOf('openai/x', request));
  });

  test('stays what it was: records of earlier runs are found by it', () => {
    expect(callKeyOf('openai/x', request)).toBe(KNOWN.call);
    expect(promptKeyOf('openai/x', request)).toBe(KNOWN.prompt);
    expect(identityHash(request.call)).toBe(KNOWN.identity);
  });
});

const KNOWN = {
  call: '01066ece841c287e07643eab672a455d',
  prompt: 'd252eed4bfac811d1f528a6fc0ecfbc5',
  identity: 'a4757f5e2b0914aa9df0d6e37c3efcc6',
};

describe('the store of answered calls', () => {
  const record = call({
    key: 'k1',
    text: 'paid for',
    tool_calls: [{ id: '1', name: 'look', arguments: '{}' }],
  });
  const answer = {
    state: null,
    obs: null,
    done: true,
    feedback: { correct: true, target: 't', message: 'm' },
  };

  test('gives a record back to any worker, with the environment’s answer', async () => {
    const store = await temporaryStore();
    await new CallStore(store).save({ record, answer });
    for (const reader of [new CallStore(store), new CallStore(store)]) {
      expect(await reader.at(record)).toEqual({ record, answer });
      expect(await reader.find(record, 'k1')).toEqual({ record, answer });
    }
    expect(await keys(store)).toEqual([callKey(identityHash(record))]);
  });

  test('finds nothing where something else was asked at the same place', async () => {
    const calls = new CallStore(await temporaryStore());
    expect(await calls.at(record)).toBeNull();
    await calls.save({ record, answer: null });
    expect(await calls.find(record, 'k2')).toBeNull();
    expect(await calls.find({ ...record, trial: 1 }, 'k1')).toBeNull();
  });

  test('a later record of the same place takes the earlier one’s, which stays among the calls that were paid', async () => {
    const store = await temporaryStore();
    const calls = new CallStore(store);
    await calls.save({ record, answer: null });
    await calls.save({ record: { ...record, key: 'k2', text: 'again' }, answer });
    for (const reader of [calls, new CallStore(store)]) {
      expect(await reader.find(record, 'k2')).toMatchObject({ record: { text: 'again' }, answer });
    }
    expect(await collect(setAsideCalls(store))).toEqual([record]);
  });
});

test('runs share a call at the same place, all of them or those of one seed', () => {
  const key = (seed?: number, trial = 0) =>
    sharedCallKeyOf('openai/x', { ...request, call: { ...request.call, trial } }, seed);
  expect(key(1)).toBe(key(1));
  expect(new Set([key(), key(1), key(2), key(1, 1), promptKeyOf('openai/x', request)]).size).toBe(5);
});

test('the shared cache answers a prompt of any run, and only that one', async () => {
  const store = await temporaryStore();
  const key = promptKeyOf('openai/x', request);
  const reply = {
    text: 'hello',
    finish_reason: 'stop' as const,
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  expect(await new ReplyCache(store).get(key)).toBeNull();
  await new ReplyCache(store).put(key, reply);
  expect(await new ReplyCache(store).get(key)).toEqual(reply);
  expect(await new ReplyCache(store).get(promptKeyOf('openai/y', request))).toBeNull();
});
