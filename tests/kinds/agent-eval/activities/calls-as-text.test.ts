import { expect, test } from 'vitest';
import { callsAsText } from '../../../../src/kinds/agent-eval/activities/end-rollout.js';

const tools = [{ name: 'book_seat', description: 'Books.', parameters: {} }];

test.each([
  '<tool_call>\n{"name": "book_seat", "arguments": {"seat": "12A"}}\n</tool_call>',
  'One moment.\n<tool_call>book_seat\n<arg_key>seat</arg_key>',
  '<function=book_seat>{"seat": "12A"}</function>',
  '[TOOL_CALLS][{"name": "book_seat", "arguments": {}}]',
  '{"type": "function", "name": "book_seat", "parameters": {"seat": "12A"}}',
  '<|python_tag|>{"name": "book_seat", "parameters": {}}',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>book_seat',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.book_seat:0',
])('a call of an offered tool that stands in the text is counted: %j', (text) => {
  expect(
    callsAsText([
      { text, tools },
      { text: 'It is booked.', tools },
    ]),
  ).toBe(1);
});

test.each([
  'Shall I book the seat?',
  'I will call book_seat for you now.',
  'Your file says {"name": "Alice", "seat": "12A"}, as book_seat wants it.',
  '<tool_call>{"name": "fly", "arguments": {}}</tool_call>',
])('what calls no tool that is offered is not: %j', (text) => {
  expect(callsAsText([{ text, tools }])).toBe(0);
});

test('nor is a text beside a call that is made, or where no tool is offered', () => {
  const text = '<tool_call>{"name": "book_seat", "arguments": {}}</tool_call>';
  const call = { id: '1', name: 'book_seat', arguments: '{}' };
  expect(callsAsText([{ text, tools, tool_calls: [call] }, { text }])).toBe(0);
});
