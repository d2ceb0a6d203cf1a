import { describe, expect, test } from 'vitest';
import type { DatasetRow } from '../../src/datasets/row.js';
import { createTaskMapper, type TaskMapping, tasksOf } from '../../src/datasets/tasks.js';
import { collect } from './collect.js';

const DATA = 'data:image/png;base64,iVBORw0KGgo=';

const BARE = `/9j/${'4AAQSkZJRg'.repeat(1000)}==`;

const MAPPING: TaskMapping = {
  task_type: 'exact',
  input_field: 'question',
  target_field: 'answer',
  image_field: 'image',
};

const imagesOf = (row: DatasetRow, image_field: string | string[] | null = 'image') =>
  createTaskMapper({ ...MAPPING, image_field })({ question: 'What is shown?', answer: 'a cat', ...row }, 0)
    .images;

describe('the images of a row', () => {
  test.each<[string, DatasetRow['image'], unknown]>([
    ['a path', 'cats/1.png', [{ path: 'cats/1.png' }]],
    ['an address', 'https://example.org/1.png', [{ url: 'https://example.org/1.png' }]],
    ['a data URI', DATA, [{ base64: 'iVBORw0KGgo=' }]],
    ['bytes of the hub', { bytes: 'iVBORw0KGgo=', path: '1.png' }, [{ base64: 'iVBORw0KGgo=' }]],
    ['a path of the hub', { bytes: null, path: '1.png' }, [{ path: '1.png' }]],
    [
      'a viewer’s object',
      { src: 'https://example.org/1.png', width: 3 },
      [{ url: 'https://example.org/1.png' }],
    ],
    [
      'as Anthropic has it',
      { source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      [{ base64: 'iVBORw0KGgo=' }],
    ],
    ['with its data as a URI', { data: DATA }, [{ base64: 'iVBORw0KGgo=' }]],
    ['with where it is from', { source: 'a zoo', file_name: 'cat.png' }, [{ path: 'cat.png' }]],
    ['as chat APIs have it', { image_url: { url: DATA } }, [{ base64: 'iVBORw0KGgo=' }]],
    ['several', ['1.png', { url: '2.png' }], [{ path: '1.png' }, { path: '2.png' }]],
    ['none', null, undefined],
    ['none of a list', [], undefined],
    ['none of an empty text', ' ', undefined],
    ['none of an object of the hub', { bytes: null, path: null }, undefined],
    ['some of a list', ['', { bytes: null, path: '' }, '2.png'], [{ path: '2.png' }]],
    ['base64 alone', BARE, [{ base64: BARE }]],
    ['a path that begins as base64', '/9j/1', [{ path: '/9j/1' }]],
    [
      'a long path that begins as base64',
      `/9j/${'a/'.repeat(100)}1.png`,
      [{ path: `/9j/${'a/'.repeat(100)}1.png` }],
    ],
  ])('%s', (_name, image, found) => {
    expect(imagesOf({ image })).toEqual(found);
  });

  test.each<[DatasetRow, RegExp]>([
    [{}, /row 1 has no field 'image' \(dataset\.image_field\)/],
    [{ image: 3 }, /row 1: 'image' \(dataset\.image_field\) is a number; an image is a path/],
    [
      { image: 'AAAA'.repeat(2000) },
      /is a text of 8000 characters, .* \(base64 wants data:image\/jpeg;base64, before it\); an image is/,
    ],
    [{ image: 'data:image/svg+xml,%3Csvg%3E' }, /is a data URI that is not in base64/],
    [{ image: { size: 3 } }, /is an object of size/],
  ])('%j is refused', (row, message) => {
    expect(() => imagesOf(row)).toThrow(message);
  });

  test.each<DatasetRow>([
    { type: 'image' },
    { type: 'image', image: null },
    { type: 'image_url', image_url: { url: '' } },
  ])('a part %j of a message is refused', (part) => {
    const question = [{ role: 'user', content: [part, { type: 'text', text: 'What is shown?' }] }];
    expect(() => imagesOf({ question }, null)).toThrow(
      /message 1 of 'question' .* has an image that is .*; one in a field of its own is named by dataset\.image_field$/,
    );
  });

  describe('in a field of their own, with their places in the messages', () => {
    const shown = { role: 'user', content: [{ type: 'image' }, { type: 'text', text: 'What is shown?' }] };
    const asked = (question: DatasetRow[]) =>
      createTaskMapper(MAPPING)({ question, answer: 'a cat', image: ['1.png'] }, 0);

    test.each([
      { type: 'image' },
      { type: 'image', text: null, index: 0 },
      { type: 'image_url', image_url: null },
    ])('are those of the field for a part %j', (part) => {
      const content = [part, { type: 'text', text: 'What is shown?', index: null }];
      const { question, images } = asked([{ role: 'user', content }] as DatasetRow[]);
      expect([question, images]).toEqual(['What is shown?', [{ path: '1.png' }]]);
    });

    test('are not meant by a part with something else in it', () => {
      const content = [{ type: 'image', pixels: 'AAAA' }];
      expect(() => asked([{ role: 'user', content }] as DatasetRow[])).toThrow(/is an object of pixels/);
    });

    test('are refused before the last message', () => {
      const turns = [shown, { role: 'assistant', content: 'A cat.' }, { role: 'user', content: 'And now?' }];
      expect(() => asked(turns as DatasetRow[])).toThrow(
        /message 1 of .* has an image, which only the last message may have/,
      );
    });
  });

  test('that no row has are said', async () => {
    const said = async (...images: DatasetRow['image'][]) => {
      const notes: string[] = [];
      const rows = images.map(
        (image, index) => ({ question: `q${index}`, answer: 'a', image }) as DatasetRow,
      );
      await collect(tasksOf(rows, MAPPING, (sentence) => void notes.push(sentence)));
      return notes;
    };
    expect(await said('', null)).toEqual(["No sample has an image in 'image' (dataset.image_field)."]);
    expect(await said('', '1.png')).toEqual([]);
  });

  test('stand in several fields, some of them empty, in the order of the config', () => {
    const row = { image_1: '1.png', image_2: ['2.png', '3.png'], image_3: null } as DatasetRow;
    expect(imagesOf(row, ['image_3', 'image_2', 'image_1'])).toEqual(
      ['2.png', '3.png', '1.png'].map((path) => ({ path })),
    );
    expect(imagesOf(row, ['image_1', 'image_4'])).toEqual([{ path: '1.png' }]);
    expect(() => imagesOf(row, ['image_4', 'image_5'])).toThrow(
      /no field 'image_4' \(dataset\.image_field\)/,
    );
  });

  test('stand in the last message of a conversation, too', () => {
    const question = [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: DATA } },
          { type: 'input_image', image_url: 'cats/2.png' },
          { type: 'text', text: 'What is shown?' },
        ],
      },
    ];
    expect(imagesOf({ question: JSON.stringify(question) }, null)).toEqual([
      { base64: 'iVBORw0KGgo=' },
      { path: 'cats/2.png' },
    ]);
  });
});
