import { describe, expect, test } from 'vitest';
import { GradingLimitError } from '../../src/grading/grade.js';
import { gradeNumeric } from '../../src/grading/numeric.js';
import { gradeByAny, gradeSeveralChoices, rightByAny } from '../../src/grading/several.js';

const CHOICES = ['red', 'green', 'blue', 'grey'];
const right = (reply: string, positions: number[], match: 'any' | 'all') =>
  gradeSeveralChoices(reply, positions, CHOICES, match);

describe('any of several choices', () => {
  test.each(['A', 'Answer: C', 'The answer is (A).', 'blue', '\\boxed{C}'])('%s is right', (reply) => {
    expect(right(reply, [0, 2], 'any')).toMatchObject({ correct: true, targetLetter: 'A or C' });
  });

  test.each(['B', 'Answer: D', 'Answer: A and C', 'Hard to say.', '', 'E'])('%s is wrong', (reply) => {
    expect(right(reply, [0, 2], 'any')).toMatchObject({ correct: false, targetLetter: 'A or C' });
  });
});

describe('all of several choices', () => {
  test.each([
    'AC',
    'A, C',
    'C, A',
    'A and C',
    '(A) and (C)',
    'Answer: A, C',
    'Answer: A & C.',
    'The answer is (A) and (C).',
    'So B is out.\n\\boxed{A, C}',
    '\\boxed{\\text{AC}}',
    '<answer>A C</answer>',
    'I went through all of them.\n\nA, C',
    '**Answer: A and C**',
    'Answer: options A and C are correct.',
    'Answer: B\nNo.\nAnswer: A, C',
  ])('%s names A and C', (reply) => {
    expect(right(reply, [0, 2], 'all')).toMatchObject({
      correct: true,
      extracted: 'A, C',
      message: 'A, C is right.',
    });
  });

  test.each([
    'A',
    'Answer: C',
    'Answer: A, B, C',
    'ABCD',
    'Answer: A, C, E',
    'Answer: A and B',
    'Answer: not A and C',
    'A cat and a cow',
    'Answer: A, C\nAnswer: B',
    '',
  ])('%s does not name A and C, and no other', (reply) => {
    expect(right(reply, [0, 2], 'all').correct).toBe(false);
  });

  test('of which there is one, it is that letter alone', () => {
    expect(right('Answer: B', [1], 'all').correct).toBe(true);
    expect(right('Answer: A, B', [1], 'all').correct).toBe(false);
  });

  test('says what was named and what was wanted', () => {
    expect(right('Answer: C, B', [0, 2], 'all').message).toBe('B, C is not A, C.');
  });
});

describe('any of several answers', () => {
  const grade = (correct: boolean, extracted: string | null = 'x') => ({
    correct,
    extracted,
    message: 'said.',
  });

  test('the first right one decides', () => {
    const grades = [false, true, true].map((correct, index) => ({
      target: `t${index}`,
      grade: grade(correct),
    }));
    expect(rightByAny(grades).target).toBe('t1');
  });

  test('a wrong reply is told none of them', () => {
    const grades = [false, false].map((correct, index) => ({ target: `t${index}`, grade: grade(correct) }));
    expect(rightByAny(grades)).toMatchObject({ grade: { message: 'x is none of the 2 accepted answers.' } });
    const empty = grades.map((one) => ({ ...one, grade: grade(false, null) }));
    expect(rightByAny(empty).grade.message).toBe('said.');
    expect(rightByAny(grades.slice(1)).grade.message).toBe('said.');
  });

  test('a value is compared with each', async () => {
    const by = (reply: string) => gradeByAny(['7', '1/2'], (target) => gradeNumeric(reply, target));
    expect((await by('Answer: 0.5')).grade.correct).toBe(true);
    expect((await by('Answer: 8')).grade.correct).toBe(false);
  });

  test('a comparison that is ended is no verdict, unless another answer is met', async () => {
    const by = (met: string) =>
      gradeByAny(['slow', 'quick'], async (target) => {
        if (target === 'slow') throw new GradingLimitError('too much');
        return grade(target === met);
      });
    expect((await by('quick')).target).toBe('quick');
    await expect(by('none')).rejects.toThrow(GradingLimitError);
  });
});
