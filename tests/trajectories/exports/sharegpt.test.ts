import { describe, expect, test } from 'vitest';
import { exportTrajectories } from '../../../src/trajectories/exports/index.js';
import type { Message } from '../../../src/trajectories/message.js';
import type { TimeStepData } from '../../../src/trajectories/schema.js';
import { assistant, calling, showing, step, system, toolResult, trajectory, user } from '../support.js';

/** The chats of an agent that sends its whole history with every call, up to each reply. */
function growing(messages: Message[]): Message[][] {
  const ends = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index + 1] : []));
  return ends.at(-1) === messages.length
    ? ends.map((end) => messages.slice(0, end))
    : [...ends.map((end) => messages.slice(0, end)), messages];
}

function exported(
  messages: Message[],
  fields: Partial<TimeStepData> = {},
  imagePath?: (source: string) => string | null,
) {
  const { rows, refused } = exportTrajectories('sharegpt', [trajectory([step(growing(messages), fields)])], {
    imagePath,
  });
  return { rows, reasons: refused.map(({ reason }) => reason) };
}

describe('a ShareGPT row', () => {
  test('has the turns, and the system’s messages apart', () => {
    const messages = [
      system('s1'),
      system('s2'),
      user('q1'),
      user('q2'),
      assistant('a1'),
      user('q3'),
      assistant('a2'),
    ];
    expect(exported(messages)).toEqual({
      rows: [
        {
          conversations: [
            { from: 'human', value: 'q1\n\nq2' },
            { from: 'gpt', value: 'a1' },
            { from: 'human', value: 'q3' },
            { from: 'gpt', value: 'a2' },
          ],
          system: 's1\n\ns2',
        },
      ],
      reasons: [],
    });
  });

  test('has calls, several at once too, and their results in one turn', () => {
    const parameters = { type: 'object', properties: {} };
    const messages = [
      user('q'),
      calling(['1', 'look', '{"at":1}']),
      toolResult('1', 'a cat'),
      calling(['2', 'look', '{"at":2}'], ['3', 'wait', '']),
      toolResult('2', 'a dog'),
      toolResult('3', 'done'),
      assistant('both'),
    ];
    const available_tool_schemas = [
      { type: 'function', function: { name: 'look', parameters } },
      { name: 'wait' },
    ];
    expect(exported(messages, { available_tool_schemas }).rows).toEqual([
      {
        conversations: [
          { from: 'human', value: 'q' },
          { from: 'function_call', value: '{"name":"look","arguments":{"at":1}}' },
          { from: 'observation', value: 'a cat' },
          {
            from: 'function_call',
            value: '[{"name":"look","arguments":{"at":2}},{"name":"wait","arguments":{}}]',
          },
          { from: 'observation', value: '["a dog","done"]' },
          { from: 'gpt', value: 'both' },
        ],
        system: '',
        tools: JSON.stringify([
          { name: 'look', parameters },
          { name: 'wait', parameters },
        ]),
      },
    ]);
  });

  test('has the arguments of calls as the model wrote them, where their numbers would be rounded', () => {
    const text = '{"order_id": 1234567890123456789}';
    const { rows } = exported([user('q'), calling(['1', 'find', text], ['2', 'find', '{"up_to": 1e999}'])]);
    const value = `[{"name":"find","arguments":${text}},{"name":"find","arguments":{"up_to": 1e999}}]`;
    expect(rows[0]).toMatchObject({ conversations: [{}, { from: 'function_call', value }] });
  });

  test('has paths of images, and a place for each', () => {
    const messages = [showing('look', 'file:///images/a%20b.png', '/images/c.png'), assistant('a')];
    expect(exported(messages).rows).toEqual([
      {
        conversations: [
          { from: 'human', value: 'look\n<image>\n<image>' },
          { from: 'gpt', value: 'a' },
        ],
        system: '',
        images: ['/images/a b.png', '/images/c.png'],
      },
    ]);
  });

  test('has images from elsewhere where they were saved', () => {
    const saved = (source: string) => (source.startsWith('https:') ? 'images/1.png' : null);
    const { rows } = exported([showing('look', 'https://example.org/a.png'), assistant('a')], {}, saved);
    expect(rows[0]).toMatchObject({ images: ['images/1.png'] });
    const mixed = [showing('look', 'https://example.org/a.png', '/images/c.png'), assistant('a')];
    expect(exported(mixed, {}, saved).rows[0]).toMatchObject({ images: ['images/1.png', '/images/c.png'] });
  });
});

test('a reply that was not sampled, such as an example, is no row: it would be trained on', () => {
  const shown = [user('example'), assistant('like this'), user('q1'), assistant('a1')];
  const { rows, refused } = exportTrajectories('sharegpt', [trajectory([step([shown])])]);
  expect(rows).toEqual([]);
  expect(refused.map(({ reason }) => reason)).toEqual([
    'a reply of the context, such as an example, would be trained on: the format has no weights',
  ]);
});

describe('a conversation is refused', () => {
  const both = { ...calling(['1', 'look', '{}']), content: 'let me look' } as Message;

  test.each<[string, Message[], string]>([
    ['that ends with a question', [user('q')], 'the last message is not the assistant’s'],
    [
      'with a reply of text and calls',
      [user('q'), both],
      'a reply has both text and tool calls: a turn can hold one of them',
    ],
    [
      'with a call whose arguments are no JSON',
      [user('q'), calling(['1', 'look', '{at'])],
      'the arguments of look are not a JSON object',
    ],
    ['with an empty reply', [user('q'), assistant('')], 'a reply is empty'],
    [
      'with a reply of empty parts',
      [
        user('q'),
        {
          role: 'assistant',
          content: [
            { type: 'text', text: ' ' },
            { type: 'text', text: '' },
          ],
        },
      ],
      'a reply is empty',
    ],
    [
      'with two replies in a row',
      [user('q'), assistant('a'), assistant('b')],
      'two replies follow each other',
    ],
    [
      'that begins with a reply',
      [assistant('hello'), user('q'), assistant('a')],
      'turn 0 is of gpt: questions and replies must take turns',
    ],
    [
      'with a question between a call and its result',
      [user('q'), calling(['1', 'look', '{}']), toolResult('1', 'r'), user('and?'), assistant('a')],
      'turn 3 is of human: questions and replies must take turns',
    ],
    [
      'with a system message in the middle',
      [user('q'), system('s'), assistant('a')],
      'a system message comes after the beginning',
    ],
    [
      'with a text that looks like an image',
      [user('an <image> tag'), assistant('a')],
      'a text contains <image>, which the format takes for a medium',
    ],
    [
      'with arguments that look like a video',
      [user('q'), calling(['1', 'write', '{"html":"<video>"}'])],
      'a text contains <video>, which the format takes for a medium',
    ],
    [
      'with arguments that look like a video',
      [user('q'), calling(['1', 'write', '{"html":"<video>"}'])],
      'a text contains <video>, which the format takes for a medium',
    ],
    [
      'with an image on the web',
      [showing('look', 'https://example.org/a.png'), assistant('a')],
      'an image is not a file: save it, and say where with imagePath',
    ],
    [
      'with an image on another machine',
      [showing('look', 'file://server/a.png'), assistant('a')],
      'an image is not a file: save it, and say where with imagePath',
    ],
    [
      'with an image of the system',
      [{ ...showing('look', 'a.png'), role: 'system' } as Message, user('q'), assistant('a')],
      'the system message has an image',
    ],
  ])('%s', (_, messages, reason) => {
    expect(exported(messages)).toEqual({ rows: [], reasons: [reason] });
  });
});
