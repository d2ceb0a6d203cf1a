import { describe, expect, it } from 'vitest';
import { gradeMultipleChoice } from '../../src/grading/multiple-choice.js';

const CHOICES = ['lead', 'iron', 'zinc'];

describe('a multiple-choice grade', () => {
  it('carries both letters, for a confusion matrix', () => {
    expect(gradeMultipleChoice('Answer: B', 'C', CHOICES)).toEqual({
      correct: false,
      extracted: 'B',
      letter: 'B',
      targetLetter: 'C',
      message: 'B is not C.',
    });
    expect(gradeMultipleChoice('zinc', 'c', CHOICES)).toMatchObject({
      correct: true,
      letter: 'C',
      targetLetter: 'C',
    });
  });

  it('names no letter where the reply names none', () => {
    expect(gradeMultipleChoice('Hard to say.', 'C', CHOICES)).toEqual({
      correct: false,
      extracted: null,
      letter: null,
      targetLetter: 'C',
      message: 'The reply names no offered letter.',
    });
  });

  it.each([
    ['Answer: A and B', ': it names A and B.'],
    ['Answer: B?', '.'],
    ['A, C', ': it names A and C.'],
    ['It may be either.\n(A) (C)', ': it names A and C.'],
    ['<answer>A C</answer>', ': it names A and C.'],
    ['\\boxed{B, C}', ': it names B and C.'],
    ['The answer is A or B.', ': it names A and B.'],
    ['Options A and C', ': it names A and C.'],
    ['Antwort: A oder B', ': it names A and B.'],
    ['答案：A和C', ': it names A and C.'],
    ['\\boxed{A} and \\boxed{C}', ': it names A and C.'],
    ['Answer: A. lead and C. zinc', ': it names A and C.'],
    ['The metal is A. lead. No, the metal is C. zinc.', ': it names A and C.'],
  ])('says that a reply settles on no letter, and which it names: %s', (reply, names) => {
    expect(gradeMultipleChoice(reply, 'C', CHOICES)).toMatchObject({
      correct: false,
      letter: null,
      message: `The reply does not settle on one letter${names}`,
    });
  });

  it.each([
    ['Answer: E', 'The reply names E, which is not offered: the letters are A to C.'],
    ['(D)', 'The reply names D, which is not offered: the letters are A to C.'],
    ['答案：Ｄ', 'The reply names D, which is not offered: the letters are A to C.'],
    ['Answer: gold', 'gold is none of the choices.'],
    ['Lösung folgt.\nDie richtige Antwort ist Gold.', 'Gold. is none of the choices.'],
    ['<answer>Nothing fits</answer>', 'Nothing fits is none of the choices.'],
  ])('says what was read where it is no choice: %s', (reply, message) => {
    expect(gradeMultipleChoice(reply, 'C', CHOICES)).toMatchObject({ letter: null, message });
  });

  it.each(['A', 'B, B', 'It is a metal', 'Answer: Q, R'])('%s is not several letters', (reply) => {
    expect(gradeMultipleChoice(reply, 'C', CHOICES).message).not.toContain('settle');
  });

  it('says so where the target is none of the choices', () => {
    const grade = gradeMultipleChoice('A', 'gold', CHOICES);
    expect(grade).toMatchObject({ correct: false, letter: 'A', targetLetter: null });
    expect(grade.message).toContain('none of the choices');
  });

  it('takes a number for a position only where it is no choice', () => {
    expect(gradeMultipleChoice('A', '2', CHOICES).targetLetter).toBe('C');
    expect(gradeMultipleChoice('A', '2', ['1', '2', '3']).targetLetter).toBe('B');
    expect(gradeMultipleChoice('A', '3', CHOICES).targetLetter).toBeNull();
  });

  it('offers A to J where the choices are not known', () => {
    expect(gradeMultipleChoice('Answer: J', 'J', []).correct).toBe(true);
    expect(gradeMultipleChoice('Answer: K', 'J', []).letter).toBeNull();
  });

  it('does not choose between two choices of the same text', () => {
    expect(gradeMultipleChoice('iron', 'B', ['iron', 'iron']).letter).toBeNull();
  });
});
