import { describe, expect, it, vi } from 'vitest';
import { compareQuickly } from '../../src/grading/compare-quickly.js';
import { compareSymbolically } from '../../src/grading/compare-symbolically.js';
import { gradeNumeric } from '../../src/grading/numeric.js';

describe('the quick comparison', () => {
  it.each([
    ['\\frac{4}{6}', '2/3', true],
    ['\\frac{4}{6}', '0.66', false],
    ['2^{3000}', '2^{3001}', false],
    ['(1, 2]', '(1,2]', true],
    ['6 m', '6 km', false],
  ])('decides %s against %s', (left, right, expected) => {
    expect(compareQuickly(left, right)).toBe(expected);
  });

  it.each([
    ['\\sqrt{8}', '2\\sqrt{2}'],
    ['x+1', '1+x'],
    ['2x=4', 'x=2'],
    ['(\\sqrt4, 1)', '(2, 1)'],
  ])('leaves %s against %s open', (left, right) => {
    expect(compareQuickly(left, right)).toBeUndefined();
  });

  it('finds a difference in one part of what it cannot decide as a whole', () => {
    expect(compareQuickly('(\\sqrt4, 1)', '(2, 3)')).toBe(false);
  });
});

describe('a tolerance', () => {
  it('is relative to the target, and counts for numbers of every kind', async () => {
    const options = { tolerance: 0.01, symbolic: compareSymbolically };
    expect((await gradeNumeric('100.9', '100', options)).correct).toBe(true);
    expect((await gradeNumeric('101.1', '100', options)).correct).toBe(false);
    expect((await gradeNumeric('99.01', '100', options)).correct).toBe(true);
    expect((await gradeNumeric('-100', '100', options)).correct).toBe(false);
    expect((await gradeNumeric('1.41', '\\sqrt2', options)).correct).toBe(true);
    expect((await gradeNumeric('1.38', '\\sqrt2', options)).correct).toBe(false);
    expect((await gradeNumeric('(1.41, 3.14)', '(\\sqrt2, \\pi)', options)).correct).toBe(true);
    expect((await gradeNumeric('0.33', '1/3', options)).correct).toBe(true);
    expect((await gradeNumeric('0.001', '0', options)).correct).toBe(false);
  });

  it('is zero unless it is given', async () => {
    expect((await gradeNumeric('0.33', '1/3')).correct).toBe(false);
    expect((await gradeNumeric('1000000.1', '1000000')).correct).toBe(false);
  });
});

describe('the injected comparer', () => {
  it('is not asked where the quick comparison decides', async () => {
    const symbolic = vi.fn(async () => true);
    await gradeNumeric('12', '13', { symbolic });
    await gradeNumeric('12', '12', { symbolic });
    await gradeNumeric('I do not know.', '12', { symbolic });
    expect(symbolic).not.toHaveBeenCalled();
  });

  it('is handed the answer, the target and the tolerance', async () => {
    const symbolic = vi.fn(async () => true);
    const grade = await gradeNumeric('So it is \\boxed{\\sqrt8}.', '2\\sqrt2', { symbolic, tolerance: 0.1 });
    expect(symbolic).toHaveBeenCalledExactlyOnceWith('\\sqrt8', '2\\sqrt2', 0.1);
    expect(grade).toEqual({ correct: true, extracted: '\\sqrt8', message: '\\sqrt8 equals 2\\sqrt2.' });
  });

  it('makes an answer incorrect when it leaves it open, and the message says why', async () => {
    const grade = await gradeNumeric('\\sqrt8', '2\\sqrt2', { symbolic: async () => undefined });
    expect(grade).toEqual({
      correct: false,
      extracted: '\\sqrt8',
      message: '\\sqrt8 was not shown to equal 2\\sqrt2.',
    });
  });

  it('makes no grade when it fails', async () => {
    const symbolic = () => Promise.reject(new Error('no thread'));
    await expect(gradeNumeric('\\sqrt8', '2\\sqrt2', { symbolic })).rejects.toThrow('no thread');
  });

  it('may be left out', async () => {
    expect((await gradeNumeric('\\sqrt8', '\\sqrt{8}')).correct).toBe(true);
    expect((await gradeNumeric('\\sqrt8', '2\\sqrt2')).message).toContain('was not shown');
  });
});

describe('the symbolic comparison', () => {
  it('tells tiny numbers from each other and from zero, where an absolute tolerance would not', async () => {
    expect(await compareSymbolically('\\frac{\\sqrt2}{700!}', '\\frac{\\sqrt2}{701!}')).toBe(false);
    expect(await compareSymbolically('\\frac{\\sqrt2}{700!}', '0')).toBe(false);
    expect(await compareSymbolically('\\sqrt2+\\sqrt3-\\sqrt{5+2\\sqrt6}', '0')).toBe(true);
  });

  it('looks at more digits than a double has', async () => {
    expect(await compareSymbolically('\\sqrt{10^{24}+1}', '10^{12}')).toBe(false);
    expect(await compareSymbolically('\\sqrt{10^{24}}', '10^{12}')).toBe(true);
  });

  it('is not fooled by what holds for positive numbers only', async () => {
    expect(await compareSymbolically('\\sqrt{x^2}', 'x')).toBe(false);
    expect(await compareSymbolically('\\sqrt{x^2}', '|x|')).toBe(true);
    expect(await compareSymbolically('|a-b|', 'a-b')).toBe(false);
  });

  it('reads no letter as a function that an earlier expression called', async () => {
    expect(await compareSymbolically('a(b+c)', 'ab+ac')).toBe(true);
    expect(await compareSymbolically('\\frac{a}{b}c', '\\frac{ac}{b}')).toBe(true);
  });

  it('answers the same for the same question, in any order of questions', async () => {
    const pairs = [
      ['x^2-1', '(x-1)(x+1)'],
      ['\\sqrt{x}\\sqrt{x}', 'x'],
      ['\\ln(xy)', '\\ln x+\\ln y'],
    ] as const;
    const first = await Promise.all(pairs.map(([left, right]) => compareSymbolically(left, right)));
    const again = await Promise.all(
      [...pairs].reverse().map(([left, right]) => compareSymbolically(left, right)),
    );
    expect(again.reverse()).toEqual(first);
  });
});
