import { expect, test } from 'vitest';
import { withoutTrailing } from '../../src/contracts/trailing.js';

test.each([
  ['a//', 'a'],
  ['/a/b', '/a/b'],
  ['//', ''],
  ['', ''],
])('%j ends without slashes as %j', (text, expected) => {
  expect(withoutTrailing(text, /\//)).toBe(expected);
});
