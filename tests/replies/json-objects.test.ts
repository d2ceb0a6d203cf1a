import { expect, it } from 'vitest';
import { beginsObject, objectsIn } from '../../src/replies/json-objects.js';

it.each<[string, unknown[]]>([
  ['`if (x) {` and {"a": 1}', [{ a: 1 }]],
  ['{"a": {"b": "}"}} {}', [{ a: { b: '}' } }, {}]],
  ['{"a": "\\(x\\)\n",}', [{ a: '\\(x\\)\n' }]],
  ['{"a": "it\n```\n{"b": 2}', [{ b: 2 }]],
  ['{"a": {"b": 2}', []],
  ['{1, 2} {x} {"a" 1} [{', []],
])('the objects in %j', (text, objects) => {
  expect(objectsIn(text).map(({ object }) => object)).toEqual(objects);
});

it('says whether an object with a field begins, whole or cut off', () => {
  expect(beginsObject('so {"b": 1, "a" : ', ['a'])).toBe(true);
  expect(beginsObject('{"b": "the \\"a\\": 1"}', ['a'])).toBe(false);
  expect(beginsObject('the "a": 1 {x}', ['a'])).toBe(false);
});
