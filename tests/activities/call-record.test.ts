import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { callKeyOf } from '../../src/activities/call-key.js';
import { type Answered, recordOf, requestOf } from '../../src/activities/call-record.js';
import type { GenerateParameters, ToolDefinition } from '../../src/contracts/language-model.js';
import { configOf } from '../support/configs.js';

const CALL = { sample_id: 's1', trial: 0, purpose: 'act', ordinal: 0 } as const;
const ANSWERED: Answered = {
  key: 'key',
  reply: { text: 'reply', finish_reason: 'stop' },
  model: 'model',
  cost_usd: 0.5,
  latency_ms: 100,
  failures: 1,
  cutOff: { crashes: 1, sent: 0 },
  cached: false,
};

function recorded(tools?: ToolDefinition[]) {
  const messages = [{ role: 'user' as const, content: 'question' }];
  return recordOf(requestOf(configOf().lm, CALL, { messages, tools }), ANSWERED);
}

test('the record of a call has the tools that were offered, and no field for none', () => {
  const tools = [{ name: 'look', parameters: { type: 'object' } }];
  expect(recorded(tools).tools).toEqual(tools);
  expect(recorded()).not.toHaveProperty('tools');
});

const OPTIONS = {
  top_p: 0.9,
  top_k: 40,
  stop: ['\n\n', '答案：'],
  seed: 7,
  frequency_penalty: -0.5,
  presence_penalty: 1,
  reasoning_effort: 'high',
  logprobs: 0,
  response_format: { type: 'object', properties: { b: {}, a: {} } },
  extra_body: { min_p: 0.05, nothing: null },
  extra_headers: { 'X-Title': 'capitals' },
} as const;
const SERVER = { model: 'openai/x', base_url: 'http://127.0.0.1:8000/v1' };
const messages = [{ role: 'user' as const, content: 'question' }];

test('a request has every option of its config, and its record says so', () => {
  const request = requestOf(configOf({ lm: { ...SERVER, ...OPTIONS } }).lm, CALL, { messages });
  const parameters = { temperature: 0.2, max_output_tokens: 2048, ...OPTIONS };
  expect(request.parameters).toEqual(parameters);
  expect(recordOf(request, ANSWERED).parameters).toEqual(parameters);
});

test('a call has the same key where the config was read again from its folder', () => {
  const config = configOf({ lm: { ...SERVER, ...OPTIONS } });
  const again = configOf(parse(stringify(config)) as Record<string, unknown>);
  const keyFor = ({ lm }: typeof config) => callKeyOf('openai/x', requestOf(lm, CALL, { messages }));
  expect(keyFor(again)).toBe(keyFor(config));
});

test('parameters of a call stand in place of the config’s, and thinking is said in one way', () => {
  const { lm } = configOf({ lm: { ...SERVER, ...OPTIONS } });
  const asked = (parameters: GenerateParameters) => requestOf(lm, CALL, { messages, parameters }).parameters;
  expect(asked({ stop: ['x'], top_p: 1 })).toMatchObject({ stop: ['x'], top_p: 1, reasoning_effort: 'high' });
  expect(asked({ thinking_budget: 0 })).toMatchObject({ thinking_budget: 0, top_k: 40 });
  expect(asked({ thinking_budget: 0 })).not.toHaveProperty('reasoning_effort');
  const budget = configOf({ lm: { ...SERVER, thinking_budget: 512 } }).lm;
  const parameters = { reasoning_effort: 'low' as const };
  expect(requestOf(budget, CALL, { messages, parameters }).parameters).not.toHaveProperty('thinking_budget');
});
