import { describe, expect, test } from 'vitest';
import { chatsOf, conversationsOf } from '../../../src/trajectories/exports/conversation.js';
import type { Message } from '../../../src/trajectories/message.js';
import { textOf } from '../../../src/trajectories/message.js';
import type { TimeStepData } from '../../../src/trajectories/schema.js';
import { assistant, step, system, trajectory, user } from '../support.js';

const divide = (...steps: TimeStepData[]) =>
  conversationsOf(trajectory(steps)).map(({ step: at, chat, messages, replies }) => ({
    at: `${at}/${chat}`,
    texts: messages.map(textOf).join(' '),
    replies: [...replies],
  }));

const first = [system('s'), user('q1'), assistant('a1')];
const second = [...first, user('q2'), assistant('a2')];
const third = [...second, user('q3'), assistant('a3')];

describe('the chats of a trajectory', () => {
  test('that continue from each other are one conversation, with a reply of each', () => {
    expect(divide(step([first]), step([second]), step([third]))).toEqual([
      { at: '2/0', texts: 's q1 a1 q2 a2 q3 a3', replies: [2, 4, 6] },
    ]);
  });

  test('that have nothing to do with each other stay apart, also in one step', () => {
    const reflection = [user('what went wrong?'), assistant('all')];
    expect(divide(step([first, reflection]), step([second]))).toEqual([
      { at: '1/0', texts: 's q1 a1 q2 a2', replies: [2, 4] },
      { at: '0/1', texts: 'what went wrong? all', replies: [1] },
    ]);
  });

  test('that ask the same again stay apart: both replies were sampled', () => {
    const again = [system('s'), user('q1'), assistant('other')];
    expect(divide(step([first, again]), step([second]))).toEqual([
      { at: '1/0', texts: 's q1 a1 q2 a2', replies: [2, 4] },
      { at: '0/1', texts: 's q1 other', replies: [2] },
    ]);
    expect(divide(step([first, first]))).toHaveLength(2);
  });

  test('count no reply of an example as one of the model', () => {
    const shown = [user('example'), assistant('like this'), user('q1'), assistant('a1')];
    expect(divide(step([shown]))).toEqual([{ at: '0/0', texts: 'example like this q1 a1', replies: [3] }]);
  });

  test('continue under other labels, but not under other tools', () => {
    const labelled = second.map((message): Message => ({ ...message, label: 'old' }));
    expect(divide(step([first]), step([labelled]))).toHaveLength(1);
    const tools = { available_tool_schemas: [{ name: 'look' }] };
    expect(divide(step([first]), step([second], tools))).toHaveLength(2);
    expect(divide(step([first], tools), step([second], tools))).toHaveLength(1);
  });

  test('are taken one by one where that is asked for', () => {
    const chats = chatsOf(trajectory([step([first]), step([second, third])]));
    expect(
      chats.map(({ step: at, chat, messages, replies }) => [at, chat, messages.length, [...replies]]),
    ).toEqual([
      [0, 0, 3, [2]],
      [1, 0, 5, [4]],
      [1, 1, 7, [6]],
    ]);
  });
});

test('what was thought before replies stays with them, although the model is not sent it again', () => {
  const thinking = (reply: Message, reasoning_content: string): Message =>
    ({ ...reply, reasoning_content }) as Message;
  const [whole] = conversationsOf(
    trajectory([
      step([[...first.slice(0, -1), thinking(assistant('a1'), 'one')]]),
      step([[...second.slice(0, -1), thinking(assistant('a2'), 'two')]]),
    ]),
  );
  expect(
    whole?.messages.map((message) => (message.role === 'assistant' ? message.reasoning_content : null)),
  ).toEqual([...[null, null, 'one', null, 'two']]);
});
