import { describe, expect, it } from 'vitest';
import { readArithmetic } from '../../src/grading/mathematics/arithmetic.js';

function exactValue(text: string): string | undefined {
  const value = readArithmetic(text)?.value;
  return (
    value && (value.denominator === 1n ? `${value.numerator}` : `${value.numerator}/${value.denominator}`)
  );
}

describe('exact arithmetic', () => {
  it.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['8 - 3 - 2', '3'],
    ['16 / 4 / 2', '2'],
    ['1 / 3 + 1 / 6', '1/2'],
    ['0.1 + 0.2', '3/10'],
    ['-2^2', '-4'],
    ['(-2)^2', '4'],
    ['2^3^2', '512'],
    ['2^{-3}', '1/8'],
    ['2**5', '32'],
    ['5!/3!', '20'],
    ['1/4!', '1/24'],
    ['\\frac{3}{4} \\times \\frac{2}{9}', '1/6'],
    ['3\\frac{1}{2}', '7/2'],
    ['3\\frac{5}{2}', '15/2'],
    ['2(3)', '6'],
    ['\\binom{7}{3}', '35'],
    ['\\binom{3}{7}', undefined],
    ['1/0', undefined],
    ['0^{-1}', undefined],
    ['9^9^9', undefined],
    ['6000!', undefined],
  ])('%s is %s', (text, expected) => {
    expect(exactValue(text)).toBe(expected);
  });

  it.each([
    '',
    '1 +',
    '(1',
    '1)',
    '1 2',
    'x',
    '1..2',
    '\\sqrt{4}',
    '\\frac{1}',
    '1 = 1',
    '()',
    '2 ^',
    '!3',
    '\\alert(1)',
  ])('%j is no arithmetic', (text) => {
    expect(readArithmetic(text)).toBeUndefined();
  });
});
