import { expect, test } from 'vitest';
import { callsAsText } from '../../../../src/kinds/agent-eval/rollouts/calls-as-text.js';

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
  '<｜DSML｜function_calls>\n<｜DSML｜invoke name="book_seat">\n<｜DSML｜parameter name="seat">12A',
  '<function_calls>\n<invoke name="book_seat">\n<parameter name="seat">12A</parameter>',
  'One moment.\n<minimax:tool_call>\n<invoke name="book_seat">',
  '<function_calls>book_seat(seat="12A")</function_calls>',
  '<tool_use>\n<name>book_seat</name>\n<arguments>{"seat": "12A"}</arguments>\n</tool_use>',
  '<longcat_tool_call>book_seat\n<longcat_arg_key>seat</longcat_arg_key>',
  '[TOOL_CALL] {tool => "book_seat", args => {--seat "12A"}} [/TOOL_CALL]',
  '<|channel|>commentary to=functions.book_seat <|constrain|>json<|message|>{"seat":"12A"}',
  'commentary to=functions.book_seat json{"seat":"12A"}',
  'book_seat{"seat": "12A"}',
  'I will book it. book_seat({"seat": "12A"})',
  'functions.book_seat({"seat": "12A"})',
  'book_seat\n```json\n{"seat": "12A"}\n```',
  'book_seat {}',
  '[book_seat(seat="12A")]',
  '[book_seat(seat="12A"), book_seat(seat="12B")]',
  '<|python_tag|>book_seat.call(seat="12A")',
  'book_seat.call(seat="12A")',
  'One moment.\n\n**book_seat(seat="12A", note="a (b)")**',
  '`book_seat()`',
  'book_seat(\n  seat="12A",\n)',
  '```tool_code\nprint(book_seat(seat="12A"))\n```',
  '```python\nseat = book_seat("12A")\n```',
  'Thought: It is free.\nAction: book_seat\nAction Input: {"seat": "12A"}',
  '**Action:** `book_seat`\n**Action Input:** 12A',
  '**Action:** book_seat\n\n**Action Input:** {"seat": "12A"}',
  'Action: book_seat[12A]',
  'Action: book_seat(12A)',
  'Tool: book_seat\nArguments: {"seat": "12A"}',
  '{"action": "book_seat", "action_input": {"seat": "12A"}}',
  '{"name": "book_seat", "arguments": null}',
  'default_api.book_seat({"seat": "12A"})',
  '```json\n{"tool": "functions.book_seat"}\n```',
  '<book_seat>\n<seat>12A</seat>\n</book_seat>',
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
  'I used book_seat to reserve it.',
  'I used the tool `book_seat`; it gave {"seat": "12A"}.',
  'book_seat(seat) takes a seat, such as 12A.',
  'What I can do:\n- book_seat(seat): books a seat\n- book_seat: the same',
  'The function book_seat returned {"ok": true}.',
  'Tool: book_seat is what I used.',
  'Your seat <book_seat> is 12A.',
  'My rebook_seat{"seat": "12A"} is another one.',
  'Action: fly\nAction Input: {"seat": "12A"}, not book_seat',
])('what calls no tool that is offered is not: %j', (text) => {
  expect(callsAsText([{ text, tools }])).toBe(0);
});

test.each([
  ['search', 'm = re.search("a", s)'],
  ['search', '`re.search("a", s)` finds it.'],
  ['find', 'db.users.find({"id": 1})'],
  ['find', 'print(text.find("a"))'],
  ['filter', 'df.filter({"a": 1})'],
  ['cancel', 'Action: Cancel\nThe order is cancelled.'],
  ['refund', '**Action:** refund\n**Amount:** $5'],
  ['cancel', '{"action": "cancel", "status": "done"}'],
  ['refund', '{"order": "B1", "action": "refund"}'],
])('nor is a program or a report with a word that %s, a tool, is named by: %j', (name, text) => {
  expect(callsAsText([{ text, tools: [{ name, description: '', parameters: {} }] }])).toBe(0);
});

test('nor is a text beside a call that is made, or where no tool is offered', () => {
  const text = '<tool_call>{"name": "book_seat", "arguments": {}}</tool_call>';
  const call = { id: '1', name: 'book_seat', arguments: '{}' };
  expect(callsAsText([{ text, tools, tool_calls: [call] }, { text }])).toBe(0);
});
