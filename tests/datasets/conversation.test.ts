import { describe, expect, test } from 'vitest';
import type { DatasetRow } from '../../src/datasets/row.js';
import { createTaskMapper, type TaskMapping } from '../../src/datasets/tasks.js';

const chat: TaskMapping = { task_type: 'exact', input_field: 'messages', target_field: 'answer' };
const task = (messages: DatasetRow['messages'], mapping: Partial<TaskMapping> = {}, row: DatasetRow = {}) =>
  createTaskMapper({ ...chat, ...mapping })({ messages: messages as string, answer: 'Oslo', ...row }, 0);

const said = (role: string, content: string) => ({ role, content });
const TURNS = [
  said('user', 'Capitals, please.'),
  said('assistant', 'Of which country?'),
  said('user', 'Norway.'),
];
const TEXT = 'User: Capitals, please.\n\nAssistant: Of which country?\n\nUser: Norway.';

describe('a conversation', () => {
  test('is kept as messages, and its question is their text', () => {
    expect(task(TURNS)).toEqual({
      index: 0,
      id: '0',
      question: TEXT,
      messages: TURNS,
      target: 'Oslo',
      metadata: {},
    });
  });

  test.each<[string, DatasetRow['messages']]>([
    [
      'ShareGPT',
      [
        { from: 'human', value: 'Capitals, please.' },
        { from: 'gpt', value: 'Of which country?' },
        { from: 'human', value: 'Norway.' },
      ],
    ],
    ['the text of a JSON list, as CSV holds it', JSON.stringify(TURNS)],
    ['the text of a list as Python prints it', JSON.stringify(TURNS).replaceAll('"', "'")],
    [
      'the text of an array as NumPy prints it',
      JSON.stringify(TURNS).replaceAll('"', "'").replaceAll('},{', '}\n {'),
    ],
    ['roles in capital letters', TURNS.map(({ role, content }) => said(role.toUpperCase(), content))],
    [
      'parts of text',
      TURNS.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] })),
    ],
    [
      'parts of text as the Responses API has them',
      TURNS.map(({ role, content }) => ({
        role,
        content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: content }],
      })),
    ],
    [
      'empty lists of tool calls, and fields of other libraries',
      TURNS.map((message) => ({ ...message, tool_calls: [], name: null, id: 'x', source: 'input' })),
    ],
  ])('may be %s', (_, messages) => {
    expect(task(messages)).toMatchObject({ question: TEXT, messages: TURNS });
  });

  test('parts of text are joined line by line', () => {
    const content = ['Read this.', { type: 'text', text: 'Norway?' }];
    expect(task([{ role: 'user', content }]).question).toBe('Read this.\nNorway?');
  });

  test('of one message of the user is a question like any other', () => {
    expect(task([said('user', 'Norway?')])).toEqual(task('Norway?' as never));
    expect(task('Norway?' as never)).not.toHaveProperty('messages');
  });

  test('a text that only looks like one stays a question', () => {
    for (const text of ['[{"a": 1}]', '[{"role": "user"', '[1, 2]', '[]', '{"role": "user"}']) {
      expect(task(text as never).question).toBe(text);
    }
  });

  test('has its choices in the last message, and choices are read from there', () => {
    const listed = 'Which metal?\n(A) lead\n(B) iron';
    const mapping = { task_type: 'mcq' as const };
    const messages = [said('user', '(A) x\n(B) y\n(C) z'), said('assistant', 'B'), said('user', listed)];
    expect(task(messages, mapping, { answer: 'B' })).toMatchObject({
      choices: ['lead', 'iron'],
      right_choices: [1],
      messages,
    });
  });
});

describe('the system', () => {
  const system = said('system', 'Answer in one word.');

  test('may speak first, as developer too, and is not a part of the question', () => {
    expect(task([system, ...TURNS])).toMatchObject({ question: TEXT, messages: [system, ...TURNS] });
    expect(task([{ ...system, role: 'developer' }, said('user', 'Norway?')])).toMatchObject({
      question: 'Norway?',
      messages: [system, said('user', 'Norway?')],
    });
  });

  test('that says nothing is none', () => {
    const empty = said('system', ' ');
    expect(task([empty, said('user', 'Norway?')])).not.toHaveProperty('messages');
    expect(task([empty, ...TURNS], { system: 'Be brief.' }).messages?.[0]).toEqual(
      said('system', 'Be brief.'),
    );
  });

  test('named as an example, as in OpenAI evals, is a turn', () => {
    const messages = [
      system,
      { role: 'system', name: 'example_user', content: 'Chile?' },
      { role: 'system', name: 'example_assistant', content: 'Santiago' },
      said('user', 'Norway?'),
    ];
    expect(task(messages).messages).toEqual([
      system,
      said('user', 'Chile?'),
      said('assistant', 'Santiago'),
      said('user', 'Norway?'),
    ]);
  });

  test('of the config is for rows that have none of their own', () => {
    const mapping = { system: 'Answer like {persona}, in {{braces}}.' };
    const row = { persona: 'a sailor' };
    const own = said('system', 'Answer like a sailor, in {braces}.');
    expect(task('Norway?' as never, mapping, row)).toMatchObject({
      question: 'Norway?',
      messages: [own, said('user', 'Norway?')],
    });
    expect(task(TURNS, mapping, row).messages).toEqual([own, ...TURNS]);
    expect(task([system, ...TURNS], mapping, row).messages).toEqual([system, ...TURNS]);
  });

  test('of a field that is empty in a row is none', () => {
    expect(task('Norway?' as never, { system: '{persona}' }, { persona: null })).not.toHaveProperty(
      'messages',
    );
    expect(() => task('Norway?' as never, { system: '{persno}' }, { persona: 'x' })).toThrow(
      /\{persno\} \(dataset\.system\) is no field of row 1/,
    );
  });

  test('stands beside a prompt_template', () => {
    const mapping = { system: 'Be brief.', prompt_template: 'Capital of {country}?' };
    expect(task(null, mapping, { country: 'Norway' })).toMatchObject({
      question: 'Capital of Norway?',
      messages: [said('system', 'Be brief.'), said('user', 'Capital of Norway?')],
    });
  });
});

describe('a conversation that ends with the assistant', () => {
  const trained = [...TURNS, said('assistant', 'Oslo')];

  test.each(['messages.-1.content', 'messages.3.content'])(
    'has its target there, by %s, and does not show it',
    (target_field) => {
      expect(task(trained, { target_field })).toMatchObject({
        question: TEXT,
        messages: TURNS,
        target: 'Oslo',
      });
    },
  );

  test('is refused without that, with the way out', () => {
    expect(() => task(trained)).toThrow(
      "row 1: 'messages' (dataset.input_field) ends with a message of the assistant, and not with the user's; where that is the right answer, set dataset.target_field: messages.-1.content, and it is not shown",
    );
    const shared = trained.map(({ role, content }) => ({ from: role, value: content }));
    expect(() => task(shared)).toThrow(/messages\.-1\.value/);
  });

  test('a message of the user is never the target', () => {
    expect(() => task(TURNS, { target_field: 'messages.-1.content' })).toThrow(
      /message 3 of 'messages'.* is not the assistant's, and dataset\.target_field/,
    );
  });
});

describe('what is refused', () => {
  test.each<[DatasetRow['messages'], string]>([
    [
      [said('system', 'Be brief.')],
      "row 1: 'messages' (dataset.input_field) ends with a message of the system, and not with the user's",
    ],
    [
      [said('tool', '4'), said('user', 'So?')],
      `row 1: message 1 of 'messages' (dataset.input_field) has the role "tool"; a question has messages of system, user and assistant`,
    ],
    [
      [{ role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }, said('user', 'So?')],
      'message 1 of .* calls tools, which a question cannot',
    ],
    [
      [{ role: 'user', content: [{ type: 'audio', audio: 'x' }] }],
      'message 1 of .* has a part of the type "audio"; texts and images are read',
    ],
    [
      [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] },
        said('assistant', 'A cat.'),
        said('user', 'So?'),
      ],
      'message 1 of .* has an image, which only the last message may have',
    ],
    [
      [{ role: 'user', content: [{ type: 'image', size: 3 }] }],
      'message 1 of .* has an image that is an object of size',
    ],
    [[{ role: 'user', content: null }], 'message 1 of .* has a content that is null, not a text'],
    [[{ role: 'user', text: 'hi' }], 'message 1 of .* has no content; its fields are: role, text'],
    [[said('user', ' ')], 'message 1 of .* is empty'],
    [
      [said('user', 'a'), said('system', 'b'), said('user', 'c')],
      'message 2 of .* is one of the system, which may only stand at the beginning',
    ],
    [['Norway?'], "'messages' .* is a list, neither a text nor a list of messages"],
    [[], "'messages' .* is a list, neither a text nor a list of messages"],
    [[said('user', 'a'), 'b'], 'is a list, neither a text nor a list of messages'],
  ])('%j', (messages, message) => {
    const pattern = message.startsWith('row 1') ? message.replaceAll(/[().]/g, '\\$&') : message;
    expect(() => task(messages)).toThrow(new RegExp(pattern));
  });
});
