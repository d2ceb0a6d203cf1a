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
    'A y C',
    'Answer: A. red and C. blue',
    'Answer: A) red, C) blue',
    'Answer: A – red; C – blue',
    'Answer:\n- A. red\n- C. blue',
    'Answer:\n- A\n- C',
    'Antwort:\n- A. red\n- C. blue',
    'Answer: A. red\nC. blue',
    'The correct answers are:\n\n**A. red**\n**C. blue**',
    'The correct answers are:\n\n**A. red**\n\n**C. blue**',
    'The correct answers are:\n\n- **A. red**: it is warm.\n- **C. blue** – it is cold.',
    'The correct answers are **A** (red) and **C** (blue). Both are colours.',
    '\\boxed{A} and \\boxed{C}',
    '$\\boxed{A}$, $\\boxed{C}$',
    'A, C\n\nExplanation: both are colours.',
    'Answer: A, C ✅',
    '**A. red**\n**C. blue**\n\nExplanation:\n- B. green is a mixture.',
    "**A. red** and **C. blue**\n\nHere's why:\n- B. green is a mixture.",
    'Answer: A and C because they are primary colours, unlike B.',
    'Answer: A, C, since both are primary colours.',
    'Answer: A and C – both are primary colours',
    'Answer: A, C (both primary)',
    'Answer: A and C (not B or D)',
    'Answer: A and C, not B',
    'The correct answers are A and C, not B.',
    'The correct answers are A. red and C. blue, but not B. green or D. grey.',
    'The answer is A and C rather than B and D.',
    'A and C are correct, B and D are not.',
    'A and C are right, while B and D are wrong.',
    'Answer: Only A and C',
    'Answer: A, C only',
    'Answer: A as well as C',
    'Answer: A plus C',
    '正确答案是A和C。',
    '正确答案是A和C，因为它们是原色。',
    '答案：A、C',
    'Antwort: A und C, weil beide rein sind.',
    '<answer>A</answer><answer>C</answer>',
    '<answer>A</answer>, <answer>C</answer>',
    'Answer: red, blue',
    'Answer: red and blue, because they are primary.',
    'The correct answers are:\n- red\n- blue',
    'Answer: red and blue, not green',
    'Answer: red and blue rather than grey',
    'Answer: A and C because B and D are mixtures.',
    'Answer: A and C because A is warm, and C because it is cold.',
    'Answer: A (correct), B (incorrect), C (correct), D (incorrect)',
    'Answer: A (yes), B (no), C (yes)',
    '<answer>A. red</answer>\n<answer>C. blue</answer>',
    '<answer>A, B</answer>\n\n<answer>A, C</answer>',
    '<answer>I think A and B</answer>\n<answer>A, C</answer>',
    'Answer:\nA\nC\n\ngreen',
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
    'Answer: not A. red and C. blue',
    'Answer: A or C',
    'A. red or C. blue',
    'Antwort: A oder C',
    'Answer: A and/or C',
    'Answer: A. red, B. green and C. blue',
    'Answer:\n- A. red: right\n- B. green: wrong\n- C. blue: right',
    'A, C\n\nBoth are colours.\n\nWait, B is as well.',
    "A, C\n\nThey look alike.\n\nSo it's A.",
    '',
    'A and C are wrong.',
    'A and C are not correct.',
    'Answer: not A and C, because B is.',
    'Answer: A, C or D, because they are alike.',
    'Answer: A and C (or D)',
    'Answer: A, C, which are pure, and D',
    'Answer: A, C as well as D',
    'Answer: A because C is wrong',
    'Answer: A, not C',
    'Answer: A, C are wrong',
    'A and C because they are pure. Wait, B as well.',
    'Answer: red or blue',
    'Answer: not red and blue',
    'Answer: red, green and blue',
    '<answer>A</answer> No: <answer>C</answer>',
    '答案是A或C。',
    'All of the above',
    'Answer: A, C because they are pure, and D because it is grey.',
    'Answer: A and C as they fit, D since it does too',
    'Answer: A and C, not B but D',
    'Answer: A (false), C (true)',
    'Answer: A, C (and D if mixed)',
    'Answer: A and C (D too)',
  ])('%s does not name A and C, and no other', (reply) => {
    expect(right(reply, [0, 2], 'all').correct).toBe(false);
  });

  test('of which there is one, it is that letter alone', () => {
    expect(right('Answer: B', [1], 'all').correct).toBe(true);
    expect(right('Answer: A, B', [1], 'all').correct).toBe(false);
  });

  test.each([
    'Answer: A. red and C. blue',
    'Answer:\nA. red\nC. blue',
    'The correct answers are:\n\n**A. red**\n\n**C. blue**',
    'A. red and C. blue',
    'A. red\nC. blue',
    '\\boxed{C} and \\boxed{A}',
    'Answer: A. red, which is warm, and C. blue',
    'Answer:\n- A. red: yes\n- C. blue: no',
  ])('%s names more than A', (reply) => {
    expect(right(reply, [0], 'all').correct).toBe(false);
  });

  test.each([
    'Answer: A. red. C. blue is wrong.',
    'Answer: A. red\nC. blue is not warm.',
    'Answer: A\n\nA. red is warm.\nC. blue is cold.',
    'Answer:\n\n**A. red**\n\nC. blue is cold.',
    'Answer: A. red, as C. blue is cold.',
    '\\boxed{C}\n\nNo: \\boxed{A}',
  ])('%s names A alone', (reply) => {
    expect(right(reply, [0], 'all').correct).toBe(true);
  });

  test('are not a list of all options, which repeats the question', () => {
    const list = 'A. red\nB. green\nC. blue\nD. grey';
    expect(right(list, [0, 1, 2, 3], 'all').correct).toBe(false);
    expect(right('A, B, C, D', [0, 1, 2, 3], 'all').correct).toBe(true);
  });

  test.each(['All of the above.', 'The answer is all of them.', 'Answer: all four options are correct'])(
    '%s names all of them',
    (reply) => {
      expect(right(reply, [0, 1, 2, 3], 'all').correct).toBe(true);
      const choices = [...CHOICES.slice(0, 3), 'all of the above'];
      expect(gradeSeveralChoices(reply, [0, 1, 2, 3], choices, 'all').correct).toBe(false);
    },
  );

  test.each(['all the other options', 'all three options', 'all warm options', 'all the correct answers'])(
    '%s names none of them',
    (reply) => {
      expect(right(`Answer: ${reply}`, [0, 1, 2, 3], 'all').letter).toBeNull();
    },
  );

  test.each<[string, string | null]>([
    ['2, 5', 'A, C'],
    ['2 and 5, not 3', 'A, C'],
    ['2.5', null],
    ['2/5', null],
    ['2:5', null],
    ['3 options are correct: 2 5', null],
  ])('that are numbers: %s', (reply, letter) => {
    const choices = ['2', '3', '5', '8'];
    expect(gradeSeveralChoices(`Answer: ${reply}`, [0, 2], choices, 'all').letter).toBe(letter);
  });

  test('says so where the letters are unclear', () => {
    const { message, letter } = right('Answer:\n- A. red: yes\n- C. blue: no', [0, 2], 'all');
    expect({ message, letter }).toEqual({
      message: 'The reply does not settle on its letters.',
      letter: null,
    });
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
