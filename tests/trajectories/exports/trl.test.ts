import { describe, expect, test } from 'vitest';
import { exportTrajectories } from '../../../src/trajectories/exports/index.js';
import type { Message } from '../../../src/trajectories/message.js';
import type { TimeStepData } from '../../../src/trajectories/schema.js';
import { assistant, calling, showing, step, system, toolResult, trajectory, user } from '../support.js';

function exported(chats: Message[][], fields: Partial<TimeStepData> = {}) {
  const { rows, refused } = exportTrajectories('trl', [trajectory([step(chats, fields)])]);
  return { rows, reasons: refused.map(({ reason }) => reason) };
}

describe('a row for TRL', () => {
  test('is a prompt and its reply, for every chat', () => {
    const first = [system('s'), user('q1'), assistant('a1')];
    const second = [...first, user('q2'), assistant('a2')];
    const written = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'q1' },
    ];
    expect(exported([first, second])).toEqual({
      rows: [
        { prompt: written, completion: [{ role: 'assistant', content: 'a1' }] },
        {
          prompt: [...written, { role: 'assistant', content: 'a1' }, { role: 'user', content: 'q2' }],
          completion: [{ role: 'assistant', content: 'a2' }],
        },
      ],
      reasons: [],
    });
  });

  test('has calls with parsed arguments, results with the tool’s name, and tools as text', () => {
    const messages = [
      user('q'),
      calling(['1', 'look', '{"at": 1}']),
      toolResult('1', 'a cat'),
      calling(['2', 'wait', '']),
    ];
    const tools = [
      { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
    ];
    const call = (id: string, name: string, parsed: object) => ({
      id,
      type: 'function',
      function: { name, arguments: parsed },
    });
    expect(exported([messages], { available_tool_schemas: tools }).rows).toEqual([
      {
        prompt: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: '', tool_calls: [call('1', 'look', { at: 1 })] },
          { role: 'tool', content: 'a cat', name: 'look', tool_call_id: '1' },
        ],
        completion: [{ role: 'assistant', content: '', tool_calls: [call('2', 'wait', {})] }],
        tools: JSON.stringify(tools),
      },
    ]);
  });

  test('has a place for each image, and all contents in parts, where the file has images', () => {
    const plain = [user('q'), assistant('a')];
    const seeing = [
      system('s'),
      showing('look', 'https://example.org/a.png', 'file:///b.png'),
      assistant('b'),
    ];
    const text = (content: string) => [{ type: 'text', text: content }];
    expect(exported([plain, seeing]).rows).toEqual([
      {
        prompt: [{ role: 'user', content: text('q') }],
        completion: [{ role: 'assistant', content: text('a') }],
        images: [],
      },
      {
        prompt: [
          { role: 'system', content: text('s') },
          { role: 'user', content: [...text('look'), { type: 'image' }, { type: 'image' }] },
        ],
        completion: [{ role: 'assistant', content: text('b') }],
        images: ['https://example.org/a.png', '/b.png'],
      },
    ]);
  });

  test('has plain texts where it has parts of text only', () => {
    const parts = [
      showing('one'),
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'two' }] },
    ];
    expect(exported([parts]).rows).toEqual([
      { prompt: [{ role: 'user', content: 'one' }], completion: [{ role: 'assistant', content: 'two' }] },
    ]);
  });
});

describe('a chat is refused', () => {
  test.each<[string, Message[], string]>([
    ['that ends with a question', [user('q')], 'the last message is not the assistant’s'],
    ['whose reply is empty', [user('q'), assistant('')], 'the reply is empty'],
    [
      'whose prompt ends with a reply',
      [user('q'), assistant('a'), assistant('b')],
      'the prompt ends with a message of the assistant',
    ],
    [
      'whose prompt is the system’s',
      [system('s'), assistant('a')],
      'the prompt ends with a message of the system',
    ],
    [
      'with a call whose arguments are no JSON',
      [user('q'), calling(['1', 'look', '[1]'])],
      'the arguments of look are not a JSON object',
    ],
    [
      'with a call whose arguments hold a large number',
      [user('q'), calling(['1', 'find', '{"order_id": 1234567890123456789}'])],
      'the arguments of find hold numbers that would be rounded, or are nested too deep',
    ],
    [
      'with an image in the row',
      [showing('look', 'data:image/png;base64,iVBORw0KGgo='), assistant('a')],
      'an image is a data URL: save it, and say where with imagePath',
    ],
    [
      'with an image of a tool',
      [user('q'), { ...showing('look', 'a.png'), role: 'tool' } as Message, assistant('a')],
      'a message of a tool has an image',
    ],
  ])('%s', (_, messages, reason) => {
    expect(exported([messages])).toEqual({ rows: [], reasons: [reason] });
  });
});
