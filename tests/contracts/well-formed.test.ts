import { describe, expect, it } from 'vitest';
import {
  toWellFormedJson,
  wellFormed,
  wellFormedIn,
  wellFormedJson,
} from '../../src/contracts/well-formed.js';

const HIGH = '\ud83d';
const LOW = '\ude00';

describe('half of a surrogate pair becomes U+FFFD', () => {
  it.each([
    ['alone', `a ${HIGH} b`, 'a \ufffd b'],
    ['the wrong way around', LOW + HIGH, '\ufffd\ufffd'],
    ['before a whole one', HIGH + HIGH + LOW, `\ufffd${HIGH}${LOW}`],
    ['not where there are both', `${HIGH}${LOW}`, '😀'],
  ])('in a text, %s', (_name, text, expected) => {
    expect(wellFormed(text)).toBe(expected);
    expect(JSON.parse(toWellFormedJson({ [text]: [text] }) as string)).toEqual({ [expected]: [expected] });
    expect(wellFormedIn({ [text]: text })).toEqual({ [expected]: expected });
  });

  it.each([
    ['an escape', String.raw`{"a": "x \ud83d y"}`, String.raw`{"a": "x \ufffd y"}`],
    ['capitals', String.raw`{"a": "\uD83D"}`, String.raw`{"a": "\ufffd"}`],
    ['a pair of escapes', String.raw`{"a": "\ud83d\ude00"}`, String.raw`{"a": "\ud83d\ude00"}`],
    ['a backslash that is escaped', String.raw`{"a": "\\ud83d"}`, String.raw`{"a": "\\ud83d"}`],
    ['half of one that is written out', `{"a": "${HIGH}"}`, '{"a": "\ufffd"}'],
    ['a text that is no JSON', String.raw`{"a": \ud83d`, String.raw`{"a": \ufffd`],
  ])('in JSON text with %s', (_name, json, expected) => {
    expect(wellFormedJson(json)).toBe(expected);
  });

  it('in JSON text within JSON text, which stays what it was', () => {
    const inner = JSON.stringify({ a: HIGH });
    expect(JSON.parse(toWellFormedJson({ inner }) as string)).toEqual({ inner });
  });

  it('and what has none is not copied', () => {
    const value = { a: '😀', b: [1, null] };
    expect(wellFormedIn(value)).toBe(value);
    expect(toWellFormedJson(undefined)).toBeUndefined();
  });
});
