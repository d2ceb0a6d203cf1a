import { describe, expect, test } from 'vitest';
import { Chat } from '../../src/trajectories/chat.js';
import type { Message } from '../../src/trajectories/message.js';
import { InvalidTrajectoryError } from '../../src/trajectories/read.js';

const user = (content: string, label?: string): Message => ({
  role: 'user',
  content,
  ...(label ? { label } : {}),
});
const probabilities = { logprobs: [-0.1], top_tokens: [['a', 'b']], token_top_logprobs: [[-0.1, -2]] };
const chat = new Chat({
  messages: [user('question'), { role: 'assistant', content: 'reply' }],
  ...probabilities,
});

const contents = ({ messages }: Chat) => messages.map(({ content }) => content);

describe('a chat', () => {
  test('keeps every kind of message and of part, and is the same after JSON', () => {
    const data = {
      messages: [
        { role: 'system', content: 'be brief', label: 'rules' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is this?' },
            { type: 'image', image: 'file:///images/a.png' },
            { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
            { type: 'image_file', image_file: { file_id: 'file-1' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', name: 'look', arguments: '{"at": 1}' },
            { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
            { type: 'function', function: { name: 'look', arguments: { at: [1, null] } } },
          ],
        },
        { role: 'tool', content: 'a cat', tool_call_id: 'a' },
        { role: 'assistant', content: [{ type: 'text', text: 'a cat' }], label: null },
        { role: 'user', content: 'and now?', name: 'ann' },
        { role: 'assistant', content: 'a dog', name: 'bob', reasoning_content: 'It barks.' },
      ],
      ...probabilities,
    };
    const read = Chat.parse(data);
    expect(JSON.parse(JSON.stringify(read))).toEqual(data);
    expect(Chat.parse(JSON.parse(JSON.stringify(read)))).toEqual(read);
  });

  test('fills in what is absent and drops what it does not know', () => {
    const read = Chat.parse({ messages: [{ ...user('hello'), weight: 1 }], model: 'm' });
    expect(read.toJSON()).toEqual({
      messages: [{ role: 'user', content: 'hello' }],
      logprobs: null,
      top_tokens: null,
      token_top_logprobs: null,
    });
  });

  test.each([
    ['a role that there is not', { messages: [{ role: 'judge', content: '' }] }, /messages\.0\.role/],
    ['a message without content', { messages: [{ role: 'user' }] }, /messages\.0\.content/],
    [
      'a part that there is not',
      { messages: [{ role: 'user', content: [{ type: 'sound' }] }] },
      /messages\.0\.content/,
    ],
    ['no messages', {}, /messages/],
    [
      'a probability that JSON cannot hold',
      { messages: [], logprobs: [-Infinity] },
      /logprobs\.0 is -Infinity/,
    ],
    ['nothing at all', null, /chat/],
  ])('refuses %s and names it', (_, data, message) => {
    expect(() => Chat.parse(data)).toThrow(InvalidTrajectoryError);
    expect(() => Chat.parse(data)).toThrow(message);
  });

  test('cannot be changed, nor through what it was made from', () => {
    const given = {
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'old' }] }],
    };
    const made = new Chat(given);
    const [part] = given.messages[0]?.content ?? [];
    if (part !== undefined) part.text = 'new';
    expect(made.messages[0]?.content).toEqual([{ type: 'text', text: 'old' }]);
    const loose = made as { messages: unknown };
    expect(() => {
      loose.messages = [];
    }).toThrow(TypeError);
    expect(() => (made.messages as Message[]).push(user('more'))).toThrow(TypeError);
    expect(() => Object.assign(made.messages[0] as object, { content: '' })).toThrow(TypeError);
  });
});

describe('a chat with other messages', () => {
  test.each([
    ['appendMessage', chat.appendMessage(user('and?')), ['question', 'reply', 'and?']],
    [
      'prependMessage',
      chat.prependMessage({ role: 'system', content: 'rules' }),
      ['rules', 'question', 'reply'],
    ],
    ['concatChats', chat.concatChats(chat), ['question', 'reply', 'question', 'reply']],
    ['concatChats of none', chat.concatChats(), ['question', 'reply']],
    ['historyView', chat.historyView(), ['question', 'reply']],
  ])('%s answers a new one, and every log probability is dropped', (_, made, expected) => {
    expect(contents(made)).toEqual(expected);
    expect(made).not.toBe(chat);
    const { logprobs, top_tokens, token_top_logprobs } = made;
    expect([logprobs, top_tokens, token_top_logprobs]).toEqual([null, null, null]);
    expect(contents(chat)).toEqual(['question', 'reply']);
    expect(chat.logprobs).toEqual([-0.1]);
    expect(Object.isFrozen(made) && Object.isFrozen(made.messages)).toBe(true);
  });

  test('does not take a message that is none', () => {
    expect(() => chat.appendMessage({ role: 'nobody' } as never)).toThrow(InvalidTrajectoryError);
  });
});

describe('historyView', () => {
  const labelled = new Chat({
    messages: [
      user('rules'),
      user('s1', 'screenshot'),
      user('n1', 'note'),
      user('s2', 'screenshot'),
      user('n2', 'note'),
      user('s3', 'screenshot'),
      user('own', 'constructor'),
    ],
  });

  test.each([
    [{}, ['rules', 's1', 'n1', 's2', 'n2', 's3', 'own']],
    [{ screenshot: 1 }, ['rules', 'n1', 'n2', 's3', 'own']],
    [{ screenshot: 2, note: 1 }, ['rules', 's2', 'n2', 's3', 'own']],
    [{ screenshot: 0, note: 0 }, ['rules', 'own']],
    [{ screenshot: 9 }, ['rules', 's1', 'n1', 's2', 'n2', 's3', 'own']],
    [{ other: 0 }, ['rules', 's1', 'n1', 's2', 'n2', 's3', 'own']],
  ])('with limits %j keeps the newest of each label, in order', (limits, expected) => {
    expect(contents(labelled.historyView(limits))).toEqual(expected);
  });
});

test('toMessages leaves out the fields that are named', () => {
  const one = new Chat({ messages: [user('a', 'x')] });
  expect(one.toMessages()).toEqual([{ role: 'user', content: 'a', label: 'x' }]);
  expect(one.toMessages(['label', 'role'])).toEqual([{ content: 'a' }]);
});

test('a long chat is built without looking at its messages again and again', () => {
  const text = user('x'.repeat(1_000));
  let long = new Chat({ messages: [text] });
  for (let index = 0; index < 2_000; index += 1) long = long.appendMessage(text);
  expect(long.messages).toHaveLength(2_001);
  expect(long.messages[0]).toBe(long.appendMessage(text).messages[0]);
});
