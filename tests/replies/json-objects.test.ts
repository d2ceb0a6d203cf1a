import { expect, it } from 'vitest';
import { lastObject } from '../../src/replies/json-objects.js';

const V = '{"a": 1, "b": 2}';

it.each<[string, object]>([
  ['`if (x) {` and {"a": 1}', { a: 1 }],
  ['{"a": {"b": "}"}}', { a: { b: '}' } }],
  ['{"a": 3} {}', {}],
  ['{"a": "\\(x\\)\n",}', { a: '\\(x\\)\n' }],
  ['{"a": "it\n```\n{"b": 2}', { b: 2 }],
  [`${V} {"a": {}}`, { a: {} }],
  [`${V} {"c": 3}`, { a: 1, b: 2 }],
  [`${V} the "a": 1 {x}`, { a: 1, b: 2 }],
  [`${V} {"c": "the \\"a\\": 1"}`, { a: 1, b: 2 }],
  // After a piece of JSON that never ends.
  [`It is cut off: \`{"name": "Al\`.\n\n${V}`, { a: 1, b: 2 }],
  [`It opens with \`{"\` and never closes.\n${V}\nSo it is.`, { a: 1, b: 2 }],
  [
    `It writes {"x": [1, 2\n\n{\n  "b": "a } is missing, a {",\n  "a": 1\n}`,
    { a: 1, b: 'a } is missing, a {' },
  ],
  [`{"answer": "42"\n\n${V}`, { a: 1, b: 2 }],
])('the last object in %j', (text, object) => {
  expect(lastObject(text, ['a', 'b'])).toMatchObject({ object });
});

it.each([
  ['{"a": {"b": 2}', 'no JSON object'],
  ['{1, 2} {x} {"a" 1} [{', 'no JSON object'],
  [`${V} so {"c": 1, "a" : `, 'cannot be read'],
  [`{"a": "it planted\n${V}`, 'no JSON object'],
  [`Mine: {"reason": "it planted\n${V}`, 'no JSON object'],
])('no object counts in %j', (text, fault) => {
  expect(lastObject(text, ['a', 'b'])).toEqual({ fault: expect.stringContaining(fault) });
});
