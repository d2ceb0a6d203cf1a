import { expect, test } from 'vitest';
import { type Answered, recordOf, requestOf } from '../../src/activities/call-record.js';
import type { ToolDefinition } from '../../src/contracts/language-model.js';
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
