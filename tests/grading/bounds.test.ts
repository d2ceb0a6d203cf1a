import { describe, expect, it } from 'vitest';
import { compareQuickly } from '../../src/grading/compare-quickly.js';
import { compareSymbolically } from '../../src/grading/compare-symbolically.js';
import { checkEquationFilling } from '../../src/grading/equation-filling.js';
import { gradeExact } from '../../src/grading/exact.js';
import { checkGame24 } from '../../src/grading/game24.js';
import { gradeMultipleChoice } from '../../src/grading/multiple-choice.js';
import { gradeNumeric } from '../../src/grading/numeric.js';

const HOSTILE: Record<string, string> = {
  'a million opening braces': '{'.repeat(1e6),
  'nested braces': '{'.repeat(5e5) + '}'.repeat(5e5),
  'a megabyte of digits': '7'.repeat(1e6),
  'a megabyte of line breaks': '\n'.repeat(1e6),
  'a megabyte of letters': 'a'.repeat(1e6),
  'a tower of powers': '9^9^9^9',
  'a factorial': '1000000!',
  'factorials of factorials': '1000!!!!',
  'nested fractions': '\\frac{1}{'.repeat(900) + 2 + '}'.repeat(900),
  'nested roots': `\\boxed{${'\\sqrt{1+'.repeat(150)}x${'}'.repeat(150)}}`,
  'nested brackets': `\\boxed{${'('.repeat(900)}1${')'.repeat(900)}}`,
  'mixed brackets': '([{'.repeat(600),
  'nested functions': `\\boxed{${'\\sin('.repeat(100)}x${')'.repeat(100)}}`,
  'nested sums': `\\boxed{${'\\sum_{k=1}^{200}'.repeat(5)}k}`,
  'a long sum': '\\boxed{\\sum_{k=1}^{1000000} k}',
  'a large power of a sum': '\\boxed{(1+\\sqrt2)^{10000}}',
  'a large power with unknowns': '\\boxed{(x+y+z+w)^{50}}',
  'many factors': `\\boxed{${'(x+1)'.repeat(200)}}`,
  'many unknowns': '\\boxed{a+b+c+d+f+g+h+j+k+l+m+n+o+p+q}',
  'many markers': 'Answer: '.repeat(1e5),
  'many sentences': 'the answer is '.repeat(1e5),
  'many boxes': '\\boxed{1} and '.repeat(1e5),
  'many open boxes': '\\boxed{'.repeat(1e5),
  'many tags': '<answer>'.repeat(1e5),
  'many dollars': '$1'.repeat(1e5),
  'many stars': '**a'.repeat(1e5),
  'many underscores': '__'.repeat(1e5),
  'many backslashes': '\\'.repeat(1e6),
  'many commas': '1,'.repeat(1e5),
  'many operators': '1+'.repeat(1e5),
  'many signs': `\\boxed{${'-'.repeat(1900)}1}`,
  'many alternatives': `\\boxed{${'\\pm 1 '.repeat(300)}}`,
  'many units': `\\boxed{5 ${'cm '.repeat(400)}}`,
  'many cells': `\\boxed{\\begin{pmatrix}${'1&'.repeat(500)}\\end{pmatrix}}`,
  'a huge exponent': '1e99999999',
  'many spaces': `x${' '.repeat(2e4)}x`,
  'many spaces in braces': `${'{ '.repeat(1e4)}x`,
  'many open formulas': '$\\()'.repeat(5e3),
  'many steps': `${'STEPS-'.repeat(3e3)}\nanswer:`,
  'many quotation marks': '“'.repeat(2e4),
};

describe('work is bounded', () => {
  it.each(Object.entries(HOSTILE))('for %s', { timeout: 20_000 }, async (_, text) => {
    const options = { symbolic: compareSymbolically };
    expect((await gradeNumeric(text, '\\sqrt{3}-1234567', options)).correct).toBe(false);
    expect((await gradeNumeric('\\boxed{\\sqrt{3}-1234567}', text, options)).correct).toBe(false);
    await gradeNumeric(text, text, options);
    gradeMultipleChoice(text, 'B', ['p', text, 'q']);
    gradeMultipleChoice('B', text, ['p', text, 'q']);
    expect(gradeExact(text, 'target').correct).toBe(false);
    expect(checkEquationFilling('31 ? 17 = 9', text).correct).toBe(false);
    expect(checkEquationFilling(text, text).correct).toBe(false);
    expect(checkGame24([11, 7, 5, 5], text).correct).toBe(false);
  });

  it('only the end of a long reply is searched', async () => {
    const filler = 'reasoning '.repeat(30_000);
    expect((await gradeNumeric(`\\boxed{7} ${filler}`, '7')).correct).toBe(false);
    expect((await gradeNumeric(`${filler} \\boxed{7}`, '7')).correct).toBe(true);
    expect(gradeMultipleChoice(`${filler}\nAnswer: B`, 'B', ['p', 'q']).correct).toBe(true);
  });

  it('long expressions are equal only when they are spelled the same', async () => {
    const long = Array.from({ length: 900 }, (_, index) => `x^{${index}}`).join('+');
    expect(compareQuickly(long, long)).toBe(true);
    expect(compareQuickly(long, `${long}+1`)).toBeUndefined();
    expect(await compareSymbolically(long, `${long}+0`)).toBeUndefined();
  });

  it('expensive expressions are refused, not guessed', async () => {
    expect(await compareSymbolically('9^{9^{9^9}}', '9^{9^{9^8}}')).toBeUndefined();
    expect(await compareSymbolically('1000000!', '1000001!')).toBeUndefined();
    expect(await compareSymbolically('9^{9^{9^9}}', '9^{9^{9^9}}')).toBe(true);
  });
});
