import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { CallStore } from '../../src/activities/call-store.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import { withGiven } from '../../src/activities/with-given.js';
import type { CallRecord, ChatMessage, GenerateRequest } from '../../src/contracts/language-model.js';
import { createLanguageModelActivities } from '../../src/kinds/run/activities/language-model.js';
import type { GenerateInput } from '../../src/kinds/run/contracts.js';
import { memoryStore } from './executor-support.js';
import { fakeModelRun } from './model-run-support.js';
import { dependencies } from './worker-support.js';

const tool_calls = [{ id: 'c', name: 'look', arguments: '{"at": 1}' }];
const as_given = { thoughts: { reasoning: 'Hm.' } };
const replied = (more: Partial<CallRecord> = {}) =>
  ({ text: 'I look.', tool_calls, as_given, ...more }) as CallRecord;

test.each<[string, Partial<ChatMessage>, Partial<CallRecord>, boolean]>([
  ['repeated unchanged', {}, {}, true],
  [
    'with its arguments written anew',
    { tool_calls: [{ id: 'c', name: 'look', arguments: '{"at":1}' }] },
    {},
    true,
  ],
  ['with other words', { content: 'Looking.' }, {}, false],
  ['with another call', { tool_calls: [{ id: 'd', name: 'look', arguments: '{"at": 1}' }] }, {}, false],
  ['with other arguments', { tool_calls: [{ id: 'c', name: 'look', arguments: '{"at": 2}' }] }, {}, false],
  ['without its calls', { tool_calls: undefined }, {}, false],
  ['without thoughts', {}, { as_given: undefined }, false],
])('a reply has the thoughts that came with it: %s', (_reply, more, record, has) => {
  const chat: ChatMessage[] = [
    { role: 'user', content: 'I look.' },
    { role: 'assistant', content: 'I look.', tool_calls, ...more },
    { role: 'tool', content: 'blue', tool_call_id: 'c' },
  ];
  const given = withGiven(
    chat,
    [replied({ as_given: { text: 'Older.' } }), replied(record)].slice(has ? 0 : 1),
  );
  expect(given.map((message) => message.as_given)).toEqual([
    undefined,
    has ? as_given : undefined,
    undefined,
  ]);
  expect(chat[1]).not.toHaveProperty('as_given');
});

test('replies of several chats that have one id are told apart by their arguments', () => {
  const calling = (at: number) => [{ id: 'c', name: 'look', arguments: `{"at":${at}}` }];
  const replies = [1, 2].map((at) =>
    replied({ text: '', tool_calls: calling(at), as_given: { text: `${at}` } }),
  );
  const chat = (at: number): ChatMessage[] => [{ role: 'assistant', content: '', tool_calls: calling(at) }];
  expect([1, 2, 3].map((at) => withGiven(chat(at), replies)[0]?.as_given)).toEqual([
    { text: '1' },
    { text: '2' },
    undefined,
  ]);
});

test('a chat of thousands of calls has what came with them at once', () => {
  const long = `{"code":"${'x'.repeat(2000)}"}`;
  const replies = Array.from({ length: 3000 }, (_, at) =>
    replied({ text: '', tool_calls: [{ id: `c${at}`, name: 'look', arguments: long }] }),
  );
  const chat = replies.map(
    ({ text, tool_calls }): ChatMessage => ({ role: 'assistant', content: text, tool_calls }),
  );
  expect(withGiven(chat, replies).every((message) => message.as_given === as_given)).toBe(true);
});

test("an agent's own loop of a run sends them back with its calls", async () => {
  const { store } = memoryStore();
  const asked: GenerateRequest[] = [];
  const reply = (request: unknown) => {
    asked.push(request as GenerateRequest);
    return 'Blue.';
  };
  const { runs, runLogs } = fakeModelRun({ store, maxAttempts: 1, reply });
  const call = { sample_id: 's', trial: 0, purpose: 'act' as const, ordinal: 0 };
  await new CallStore(store).save({ record: replied({ ...call, key: 'k' }), answer: null });
  const given = dependencies({ runLogs });
  const { generate } = createLanguageModelActivities(runs, given, new ModelCalls(given));
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: 'I look.', tool_calls },
    { role: 'tool', content: 'blue', tool_call_id: 'c' },
  ];
  const input = { run: 'run', call: { ...call, ordinal: 1 }, messages } as unknown as GenerateInput;
  await new MockActivityEnvironment().run(generate, input);
  expect(asked[0]?.messages[1]).toEqual({ ...messages[1], as_given });
  const stored = await new CallStore(store).at(input.call);
  expect(stored?.record.messages).toEqual(messages);
});
