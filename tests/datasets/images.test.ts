import { describe, expect, test } from 'vitest';
import type { DatasetRow } from '../../src/datasets/row.js';
import { createTaskMapper } from '../../src/datasets/tasks.js';

const DATA = 'data:image/png;base64,iVBORw0KGgo=';

const imagesOf = (row: DatasetRow, image_field: string | null = 'image') =>
  createTaskMapper({ task_type: 'exact', input_field: 'question', target_field: 'answer', image_field })(
    { question: 'What is shown?', answer: 'a cat', ...row },
    0,
  ).images;

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
    ['as chat APIs have it', { image_url: { url: DATA } }, [{ base64: 'iVBORw0KGgo=' }]],
    ['several', ['1.png', { url: '2.png' }], [{ path: '1.png' }, { path: '2.png' }]],
    ['none', null, undefined],
    ['none of a list', [], undefined],
  ])('%s', (_name, image, found) => {
    expect(imagesOf({ image })).toEqual(found);
  });

  test.each<[DatasetRow, RegExp]>([
    [{}, /row 1 has no field 'image' \(dataset\.image_field\)/],
    [{ image: 3 }, /row 1: 'image' \(dataset\.image_field\) is a number; an image is a path/],
    [{ image: '' }, /is an empty text/],
    [{ image: 'data:image/svg+xml,%3Csvg%3E' }, /is a data URI that is not in base64/],
    [{ image: { size: 3 } }, /is an object of size/],
  ])('%j is refused', (row, message) => {
    expect(() => imagesOf(row)).toThrow(message);
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
