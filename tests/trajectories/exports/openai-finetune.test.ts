import { describe, expect, test } from 'vitest';
import { exportTrajectories } from '../../../src/trajectories/exports/index.js';
import type { Message } from '../../../src/trajectories/message.js';
import type { TimeStepData } from '../../../src/trajectories/schema.js';
import { assistant, calling, showing, step, system, toolResult, trajectory, user } from '../support.js';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';

function exported(messages: Message[], fields: Partial<TimeStepData> = {}) {
  const { rows, refused } = exportTrajectories('openai-finetune', [trajectory([step([messages], fields)])]);
  return { rows, reasons: refused.map(({ reason }) => reason) };
}

describe('a row for OpenAI’s fine-tuning', () => {
  test('has the messages, and trains on replies of the model only', () => {
    const messages = [system('s'), user('example'), assistant('like this'), user('q'), assistant('a')];
    expect(exported(messages)).toEqual({
      rows: [
        {
          messages: [
            { role: 'system', content: 's' },
            { role: 'user', content: 'example' },
            { role: 'assistant', content: 'like this', weight: 0 },
            { role: 'user', content: 'q' },
            { role: 'assistant', content: 'a' },
          ],
        },
      ],
      reasons: [],
    });
  });

  test('has tools and their calls, all nested, with arguments as the model wrote them', () => {
    const parameters = { type: 'object', properties: { at: { type: 'number' } } };
    const messages = [
      user('q'),
      calling(['1', 'look', '{"at": 1}'], ['2', 'look', 'no JSON']),
      toolResult('2', 'error'),
      toolResult('1', 'a cat'),
      assistant('a cat'),
    ];
    const available_tool_schemas = [{ name: 'look', description: 'Looks.', parameters }];
    const call = (id: string, text: string) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: text },
    });
    expect(exported(messages, { available_tool_schemas }).rows).toEqual([
      {
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', tool_calls: [call('1', '{"at": 1}'), call('2', 'no JSON')], weight: 0 },
          { role: 'tool', tool_call_id: '2', content: 'error' },
          { role: 'tool', tool_call_id: '1', content: 'a cat' },
          { role: 'assistant', content: 'a cat' },
        ],
        tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters } }],
      },
    ]);
  });

  test('may end with a call, with a text beside it', () => {
    const reply = { ...calling(['1', 'look', '{}']), content: 'let me look' } as Message;
    expect(exported([user('q'), reply]).rows[0]).toMatchObject({
      messages: [{}, { content: 'let me look', tool_calls: [{ id: '1' }] }],
    });
  });

  test('has images of the user as URLs', () => {
    const content = [
      { type: 'image_url' as const, image_url: { url: 'https://example.org/a.png', detail: 'low' } },
      { type: 'image' as const, image: PNG },
      { type: 'text' as const, text: 'look' },
    ];
    const { rows } = exported([{ role: 'user', content }, assistant('a')]);
    expect((rows[0] as { messages: { content: unknown }[] }).messages[0]?.content).toEqual([
      { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: PNG } },
      { type: 'text', text: 'look' },
    ]);
  });
});

const tooMany = Array.from({ length: 11 }, () => 'https://example.org/a.png');
const noId: Message = {
  role: 'assistant',
  content: '',
  tool_calls: [{ type: 'function', function: { name: 'look', arguments: {} } }],
};

describe('a conversation is refused', () => {
  test.each<[string, Message[], string]>([
    ['that ends with a question', [user('q')], 'the last message is not the assistant’s'],
    ['that is a reply to nothing', [assistant('a')], 'nothing comes before the reply'],
    ['whose reply is empty', [user('q'), assistant(' ')], 'a reply is empty'],
    [
      'with a call that is not answered',
      [user('q'), calling(['1', 'look', '{}']), user('well?'), assistant('a')],
      'the call 1 is not answered',
    ],
    [
      'with an answer to no call',
      [user('q'), toolResult('1', 'r'), assistant('a')],
      'a tool’s message answers 1, which was not called before it',
    ],
    [
      'with an answer without a call',
      [user('q'), { role: 'tool', content: '' }, assistant('a')],
      'a tool’s message does not say which call it answers',
    ],
    ['with a call without an id', [user('q'), noId], 'the call of look has no id'],
    [
      'with an image file',
      [showing('look', 'a.png'), assistant('a')],
      'an image is a file: only http(s) and data URLs can be uploaded',
    ],
    [
      'with a GIF',
      [showing('look', 'data:image/png;base64,R0lGODlh'), assistant('a')],
      'an image is image/gif: only JPEG, PNG and WEBP can be trained on',
    ],
    [
      'with a data URL that is none',
      [showing('look', 'data:image/png;base64,?'), assistant('a')],
      'an image: the data URL is not valid base64',
    ],
    [
      'with eleven images',
      [showing('look', ...tooMany), assistant('a')],
      '11 images: an example may have 10',
    ],
    [
      'with an image of the assistant',
      [user('q'), { ...showing('look', PNG), role: 'assistant' } as Message],
      'a message of the assistant has an image: only the user’s may',
    ],
    [
      'with an image at a provider',
      [{ role: 'user', content: [{ type: 'image_file', image_file: { file_id: 'f' } }] }, assistant('a')],
      'an image is stored by a provider under an id',
    ],
  ])('%s', (_, messages, reason) => {
    expect(exported(messages)).toEqual({ rows: [], reasons: [reason] });
  });

  test('with something on offer that is no function', () => {
    const { reasons } = exported([user('q'), assistant('a')], {
      available_tool_schemas: [{ type: 'web_search' }],
    });
    expect(reasons).toEqual(['tool 0 on offer is not a function']);
  });
});
