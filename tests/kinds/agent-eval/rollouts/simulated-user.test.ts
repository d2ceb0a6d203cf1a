import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/contracts/language-model.js';
import {
  readUserMessage,
  simulatedUserPrompt,
  userMove,
} from '../../../../src/kinds/agent-eval/rollouts/simulated-user.js';

const STOP = '[DONE].*';
const CALL = { id: '1', name: 'book', arguments: '{"secret":1}' };
const CHAT: ChatMessage[] = [
  { role: 'system', content: 'the policy' },
  { role: 'user', content: 'a flight, please' },
  { role: 'assistant', content: 'One moment.', tool_calls: [CALL] },
  { role: 'tool', content: 'the answer of a tool', tool_call_id: '1' },
  { role: 'assistant', content: '', tool_calls: [CALL] },
  { role: 'tool', content: 'another', tool_call_id: '1' },
  { role: 'assistant', content: 'It is booked.' },
];

describe('the prompt of a simulated user', () => {
  test('holds its part, the rules and the chat as the user sees it, with the roles exchanged', () => {
    const [system, ...chat] = simulatedUserPrompt('You are $& Alice.', CHAT, { stopToken: STOP });
    expect(system?.role).toBe('system');
    expect(system?.content).toContain('You are $& Alice.');
    expect(system?.content).toContain(`write ${STOP}`);
    expect(chat).toEqual([
      { role: 'user', content: 'The chat is open, and you write first.' },
      { role: 'assistant', content: 'a flight, please' },
      { role: 'user', content: 'One moment.\n\nIt is booked.' },
    ]);
    expect(JSON.stringify(chat)).not.toMatch(/secret|answer of a tool|the policy/);
  });

  test('begins with the agent where the agent has begun, and is never without a message', () => {
    const greeting: ChatMessage = { role: 'assistant', content: 'How can I help?' };
    const chatOf = (messages: ChatMessage[]) =>
      simulatedUserPrompt('p', messages, { stopToken: STOP }).slice(1);
    expect(chatOf([greeting])).toEqual([{ role: 'user', content: 'How can I help?' }]);
    expect(chatOf([])).toEqual([{ role: 'user', content: 'The chat is open, and you write first.' }]);
  });

  test('says what was wrong with the tries before', () => {
    const first = simulatedUserPrompt('p', CHAT, { stopToken: STOP });
    const second = simulatedUserPrompt('p', CHAT, { stopToken: STOP, faults: ['it was empty.'] });
    expect(second[0]?.content).toBe(
      `${first[0]?.content}\n\nYour last try could not be used: it was empty. Write the user's message.`,
    );
    expect(second.slice(1)).toEqual(first.slice(1));
  });
});

test('the stop token is taken out of what a user says, wherever and however often it is there', () => {
  expect(readUserMessage(`Thanks! ${STOP}`, STOP)).toEqual({ text: 'Thanks!', stops: true });
  expect(readUserMessage(`[done].*\nBye ${STOP}`, STOP)).toEqual({ text: 'Bye', stops: true });
  expect(readUserMessage(STOP, STOP)).toEqual({ text: '', stops: true });
  expect(readUserMessage(' [DONE] ', STOP)).toEqual({ text: '[DONE]', stops: false });
});

test.each([
  ['**###STOP###**', ''],
  ['`###STOP###`', ''],
  ['"###STOP###"', ''],
  ['(###STOP###)', ''],
  ['###STOP###.', ''],
  ['###STOP###\n\n---', ''],
  ['####STOP####', ''],
  ['### STOP ###', ''],
  ['### stop###', ''],
  ['Thanks!\n**###STOP###**', 'Thanks!'],
  ['No, that is all. ### STOP ###', 'No, that is all.'],
  ['Is it *free*? ###STOP###', 'Is it *free*?'],
  ['👍 ###STOP###', '👍'],
])('the stop token is read as models write it, and its marks are not said: %j', (said, text) => {
  expect(readUserMessage(said, '###STOP###')).toEqual({ text, stops: true });
});

test.each(['---', '**STOP**', '## Stop', 'Stop # 3', '### STO P ###', '#\n##STOP###'])(
  'what is no stop token stays as it is: %j',
  (said) => {
    expect(readUserMessage(said, '###STOP###')).toEqual({ text: said, stops: false });
  },
);

describe('what a user who says the stop token does', () => {
  const move = (said: string, agents: string) =>
    userMove(readUserMessage(said, '###STOP###'), [{ role: 'assistant', content: agents }]);

  test.each<[string, string, string]>([
    ['answers', 'The blue one, and please by Monday. ###STOP###', 'Which colour, and by when?'],
    ['agrees', 'Yes, please book it. ###STOP###', 'Flight HA103 has a seat. Shall I book it?'],
    ['says a number first', '###STOP### 7788', 'What is your PIN?'],
    ['answers in Chinese', '蓝色的。###STOP###', '要哪种颜色？'],
    ['answers in Arabic', 'الأزرق ###STOP###', 'أي لون تريد؟'],
  ])('%s, and the agent may act on it', (_what, said, agents) => {
    expect(move(said, agents)).toBe('answered_and_left');
  });

  test.each<[string, string, string]>([
    ['says nothing else', '###STOP###', 'Is there anything else?'],
    ['says nothing else, in bold', '**###STOP###**', 'Is there anything else?'],
    ['was asked nothing', 'Thanks! ###STOP###', 'It is booked.'],
    ['was shown an address', 'Thanks! ###STOP###', 'See https://x.test/f?id=3 for it.'],
  ])('%s, and the conversation ends', (_what, said, agents) => {
    expect(move(said, agents)).toBe('stopped');
  });

  test('continues without the token', () => {
    expect(move('The blue one.', 'Which colour?')).toBe('said');
  });
});
