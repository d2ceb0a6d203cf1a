import { expect, test } from 'vitest';
import type { ChatMessage } from '../../src/contracts/language-model.js';
import { argumentsObject } from '../../src/language-models/chat-messages.js';
import type { ProviderKind } from '../support/fake-providers/behaviours.js';
import { fake, modelFor, request, weatherTool } from './support.js';

/** A body whose only call has these arguments, and where they stand in what is sent back. */
const BODIES: Record<ProviderKind, (input: string) => string> = {
  openai: (input) =>
    `{"created": 1712345678901234567, "choices": [{"finish_reason": "stop", "message": {"content": "the \\"args\\": {1",
      "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": ${input}}}]}}]}`,
  anthropic: (input) =>
    `{"content": [{"type": "tool_use", "id": "a", "name": "look", "input": ${input}}], "stop_reason": "tool_use",
      "usage": {"input_tokens": 3, "output_tokens": 4}}`,
  gemini: (input) =>
    `{"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
      {"functionCall": {"id": "a", "name": "look", "args": ${input}}}]}}]}`,
  bedrock: (input) =>
    `{"output": {"message": {"role": "assistant", "content": [
      {"toolUse": {"toolUseId": "a", "name": "look", "input": ${input}}}]}}, "stopReason": "tool_use"}`,
};

test.each<[ProviderKind, string]>([
  ...(['openai', 'anthropic', 'gemini', 'bedrock'] as const).flatMap((kind): [ProviderKind, string][] => [
    [kind, '{"id":2512292042121000001}'],
    [kind, '{"of":{"input":{"ids":[-9007199254740993,7]}},"id":123456789012345678901}'],
    [kind, '{"text":"id 2512292042121000001","price":0.1234,"at":9007199254740992,"args":[1],"b":"}{"}'],
  ]),
])('%s gives and gets back the numbers of a call as they are: %s', async (kind, input) => {
  const provider = await fake(kind);
  const model = await modelFor(provider);
  provider.next({ kind: 'raw', body: BODIES[kind](input), contentType: 'application/json' });
  const { tool_calls = [] } = await model.generate(request('Look.', { tools: [weatherTool] }));
  expect(tool_calls.map((call) => call.arguments)).toEqual([input]);
  const chat: ChatMessage[] = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: '', tool_calls },
    { role: 'tool', content: 'blue', tool_call_id: 'a' },
  ];
  await model.generate(request(chat, { tools: [weatherTool] }));
  // The whole body, as no idempotency key is sent.
  const sent = provider.requests.at(-1)?.key ?? '';
  expect(sent).toContain(kind === 'openai' ? JSON.stringify(input) : input);
  expect(sent).not.toContain('\ue0d1');
});

test.each([
  ['in a program', `{"code": "${'print(\\"a\\")\\n'.repeat(100_000)}`],
  ['in a number', `{"id": ${'1'.repeat(1_000_000)}`],
  ['after many texts', `{"list": [${'"a", '.repeat(200_000)}`],
  ['in a text of quotation marks', `{"text": "${'\\"'.repeat(500_000)}`],
])('arguments of a megabyte that were cut off are read in no time: %s', (_where, text) => {
  expect(argumentsObject(text)).toEqual({ input: text });
});
