import { expect, test } from 'vitest';
import type { CallRecord, ChatMessage } from '../../../src/contracts/language-model.js';
import { isEmptyRecord } from '../../../src/kinds/own-kind/activities/own-kind-context.js';

const usage = { input_tokens: 9, output_tokens: 3 };
const asked: ChatMessage[] = [{ role: 'user', content: 'Look.' }];
const answered: ChatMessage[] = [...asked, { role: 'tool', content: 'blue', tool_call_id: 'c' }];
const record = (more: Partial<CallRecord>) =>
  ({ text: '', finish_reason: 'stop', usage, messages: asked, ...more }) as CallRecord;

test.each<[string, Partial<CallRecord>, boolean]>([
  ['an empty reply', {}, true],
  ['one with words', { text: 'Blue.' }, false],
  ['one with tool calls', { tool_calls: [{ id: 'c', name: 'look', arguments: '{}' }] }, false],
  ["the end after a tool's result", { messages: answered }, false],
  ['that without a token', { messages: answered, usage: { ...usage, output_tokens: 0 } }, true],
  ['that with an estimate alone', { messages: answered, usage_estimated: true }, true],
])('%s of %j is its provider’s fault: %s', (_what, more, isFault) => {
  expect(isEmptyRecord(record(more))).toBe(isFault);
});
