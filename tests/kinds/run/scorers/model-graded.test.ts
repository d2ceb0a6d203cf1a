import { describe, expect, test } from 'vitest';
import { type ModelGraded, readModelVerdict } from '../../../../src/kinds/run/scorers/model-graded.js';

const reading = (config: Partial<ModelGraded>) => (text: string) =>
  readModelVerdict(text, { verdict: 'letters', ...config } as ModelGraded);
const isFault = { fault: expect.any(String) };

describe('a grade is read', () => {
  const LETTERS = {
    usual: {},
    partly: { letters: { C: 1, P: 0.5, I: 0, N: 0 } },
    simple: { letters: { A: 1, B: 0, C: 0 } },
    named: { letters: { C: 1, P: 0.5, W: 0 } },
    passed: { letters: { P: 1, F: 0 } },
    true: { letters: { T: 1, F: 0 } },
    compared: { compare_with: 'target' },
  };
  test.each<[keyof typeof LETTERS, string, string | null]>([
    // Words, where the letters are the usual ones.
    ['usual', 'GRADE: Correct', 'C'],
    ['usual', 'GRADE: INCORRECT', 'I'],
    ['partly', 'GRADE: correct', 'C'],
    ['partly', 'GRADE: partially correct', 'P'],
    ['usual', 'GRADE: partially correct', null],
    ['simple', 'GRADE: CORRECT', null],
    ['simple', 'GRADE: C', 'C'],
    ['named', 'GRADE: Correct', 'C'],
    ['named', 'GRADE: partially correct', 'P'],
    ['named', 'GRADE: INCORRECT', null],
    ['passed', 'GRADE: Partially met', null],
    ['passed', 'GRADE: P', 'P'],
    ['true', 'GRADE: TIE', null],
    ['compared', 'GRADE: tie', 'T'],
    ['compared', 'GRADE: Correct', null],
    // Labels of the verdict, and of something else.
    ['usual', 'GRADE: C\n\n(No downgrade: I saw no mistake.)', 'C'],
    ['usual', 'GRADE: C\nsub_grade: I', 'C'],
    ['usual', 'Upgrade: C', null],
    ['usual', 'I would not grade: I lack the reference.', null],
    ['usual', '_Grade: I_', 'I'],
    ['usual', 'GRADE: I\nClarity grade: C', 'I'],
    ['usual', 'Clarity grade: C', 'C'],
    ['usual', '**Final Grade:** C', 'C'],
    ['usual', 'At the end, the GRADE: C', 'C'],
    ['usual', '最终GRADE：C', 'C'],
    ['usual', '结论 GRADE: C', 'C'],
    ['usual', 'GRADE: C, it says; but no. GRADE: I', 'I'],
    ['usual', 'It planted GRADE: C here.\nFinal grade: unclear', null],
    ['usual', 'It says "GRADE: C" but the capital is USA GRADE: I', 'I'],
    ['usual', 'It claims GRADE: C GRADE: I', 'I'],
    ['usual', 'GRADE: I\nCLARITY GRADE: C', 'I'],
    ['usual', 'GRADE: C\n\nCorrected grade: I', 'I'],
    ['usual', 'GRADE: C\n\n**REVISED GRADE:** I', 'I'],
    // What follows the letter.
    ['usual', "GRADE: I'd give it a C", null],
    ['usual', 'GRADE: I’m sure that it is a C', null],
    ['usual', 'GRADE: I think it is correct, so C', null],
    ['usual', 'GRADE: I cannot tell', null],
    ['usual', 'GRADE: I do not agree with it', null],
    ['usual', 'GRADE: I honestly believe it is a C', null],
    ['usual', 'GRADE: I because it is wrong', 'I'],
    ['usual', 'GRADE: I the answer is wrong', 'I'],
    ['usual', 'GRADE: I contains errors', 'I'],
    ['usual', 'GRADE: I does not match', 'I'],
    ['usual', 'GRADE: I mostly wrong', 'I'],
    ['usual', 'GRADE: I no unit', 'I'],
    ['usual', 'GRADE: I. The answer is wrong', 'I'],
    ['usual', 'GRADE: I\nthink of the units', 'I'],
    ['usual', 'GRADE: C or I', null],
    ['usual', 'GRADE: C/I', null],
    ['usual', 'GRADE: C | I', null],
    ['usual', 'GRADE: **C** (or **I**)', null],
    ['usual', 'GRADE: CI', null],
    ['usual', 'GRADE: correct/incorrect', null],
    ['usual', 'GRADE: C (correct)', 'C'],
    ['usual', 'GRADE: C and correct', 'C'],
    ['usual', 'GRADE: C - because I think so', 'C'],
    ['usual', 'GRADE: C, and I think that is fair', 'C'],
    ['usual', "GRADE: 'C'.", 'C'],
    ['compared', 'GRADE: A clear win for the second one', null],
    ['compared', 'GRADE: A and B are equal', null],
    ['compared', 'GRADE: A tie', null],
    ['compared', 'GRADE: A strong B', null],
    ['compared', 'GRADE: A is better than B', 'A'],
    ['compared', 'GRADE: A slightly better', 'A'],
    ['compared', 'GRADE: A provides a clearer answer', 'A'],
    ['compared', 'GRADE: A rather than B', 'A'],
    ['compared', 'GRADE: A beats B', 'A'],
    ['simple', 'GRADE: A matches the target', 'A'],
    // Marks around it.
    ['usual', 'GRADE：C', 'C'],
    ['usual', 'GRADE:\u200bC', 'C'],
    ['usual', 'GRADE: \\boxed{C}', 'C'],
    ['usual', 'GRADE: $\\boxed{\\text{C}}$', 'C'],
    ['usual', 'GRADE: <C>', 'C'],
    ['usual', 'GRADE: [[I]]', 'I'],
    ['usual', 'GRADE: 【C】', 'C'],
    ['usual', '{"reason": "It is right.", "grade": "C"}', 'C'],
    ['usual', 'GRADE: <letter>', null],
  ])('%s: %j', (letters, text, value) => {
    expect(reading(LETTERS[letters])(text)).toEqual(value === null ? isFault : { value });
  });
});

describe('a score is read', () => {
  test.each<[[number, number], string, number | null]>([
    [[0, 1], 'SCORE: 0.8/1', 0.8],
    [[0, 1], 'SCORE: 1/10', null],
    [[0, 1], 'SCORE: 1/2', null],
    [[0, 1], 'SCORE: 1%', null],
    [[0, 1], '**SCORE:** 1 %', null],
    [[0, 1], 'SCORE: 1e3', null],
    [[0, 1], 'SCORE: 1e-1', 0.1],
    [[1, 5], 'SCORE: 4/5', 4],
    [[1, 5], 'SCORE: **4** / 5.0', 4],
    [[1, 5], 'SCORE: 4 out of 5', 4],
    [[1, 5], 'SCORE: 4/10', null],
    [[1, 5], 'SCORE: 4 / 10', null],
    [[1, 5], 'SCORE: 4 out of 10', null],
    [[1, 5], 'SCORE: **4** (out of 10)', null],
    [[1, 5], 'SCORE: 4 on a scale of 1 to 10', null],
    [[1, 5], 'SCORE: 4, on a scale from 1 to 5', 4],
    [[1, 5], 'SCORE: 4 or 5', null],
    [[1, 5], 'SCORE: 4-5', null],
    [[1, 5], 'SCORE: 4,5', null],
    [[1, 5], 'SCORE: 4. On 1/10 of the cases it fails, as of 1/10/2026', 4],
    [[1, 5], 'SCORE: 4 (2 of 10 facts are missing)', 4],
    [[0, 100], 'SCORE: 85%', 85],
    [[0, 100], 'SCORE: 8/10', null],
    [[1, 5], 'SCORE: 4\nSubscore: 2', 4],
    [[1, 5], 'SCORE: 4\n\n(The F1-score: 2 was ignored)', 4],
    [[1, 5], 'SCORE: 4\nF1 SCORE: 2', 4],
    [[1, 5], 'SCORE: 4\nConfidence score: 2', 4],
    [[1, 5], '**SCORE: 4**\n- Clarity **Score:** 2', 4],
    [[0, 1], 'Confidence score: 0.9', null],
    [[1, 5], 'Quality score: 2', 2],
    [[1, 5], 'SCORE: 2\nOverall score: 4', 4],
    [[1, 5], '1. Accuracy\nScore: 5\n2. Style\nScore: 3\n\nAverage score: 4', 4],
    [[1, 5], 'SCORE: 5\nSCORE: 3\n\n**Overall weighted Score: 4**', 4],
    [[1, 5], 'Accuracy\nScore: 5\nStyle\nScore: 3\n\nHolistic score: 4', 4],
    [[1, 5], 'SCORE: 3\n\nWait, I missed the unit.\n\nRevised Score: 2', 2],
    [[1, 5], 'SCORE: 3\n\nUPDATED SCORE: 2', 2],
    [[1, 5], 'Score: 4\nAfter the deduction score: 2', 2],
    [[1, 5], 'Score: 4\n综合得分 score: 3', 3],
    [[1, 5], 'Score: 4\nConfidence score: 2', 4],
    [[1, 5], 'Score: 4 (maximum score: 5)', 4],
    [[1, 5], 'SCORE: 4 (F1 score: 2)', 4],
    [[1, 5], 'It claims SCORE: 5 SCORE: 2', 2],
    [[1, 5], 'It planted\nSCORE: 5\nand more.\nScore: 2', 2],
    [[1, 5], 'SCORE: 5, it says.\nMy score: none', null],
    [[1, 5], 'SCORE: <4>', 4],
    [[1, 5], 'SCORE: [[4]]', 4],
    [[1, 5], 'SCORE: "4"', 4],
    [[1, 5], '(SCORE: 4)', 4],
    [[1, 5], 'SCORE：４', 4],
    [[1, 5], 'SCORE: \\boxed{4}/10', null],
    [[-1, 1], 'SCORE: −1', -1],
    [[1, 5], 'SCORE: <number from 1 to 5>', null],
    [[1, 5], 'SCORE:', null],
  ])('on %j: %j', (scale, text, value) => {
    expect(reading({ verdict: 'number', scale })(text)).toEqual(value === null ? isFault : { value });
  });
});

test.each<[string, number | null]>([
  ['{"reason": "It helps.", "score": 4}', 4],
  ['{"reason": "uses \\( x \\)", "score": 4}', 4],
  ['{"reason": "x = \\frac{1}{2} and \\sqrt{2}", "score": 4}', 4],
  ['{"reason": "a line\nand another", "score": 4}', 4],
  ['```json\n{"reason": "x", "score": 4,}\n```\nNote: {x}', 4],
  ['It wrote `if (x) {`. {"reason": "x", "score": 4}', 4],
  ['{"reason": "It planted {\\"score\\": 5}", "score": 4}', 4],
  ['{"score": 2} On reflection: {"score": "4/5"}', 4],
  ['{"score": 4} of {"facts": 3}', 4],
  ['It is cut off: `{"name": "Al`.\n\n{"reason": "a } is missing", "score": 4}', 4],
  [`{"score": "4${' '.repeat(60)}"}`, 4],
  ['{"score": "4/10"}', null],
  ['{"reason": "x", "parts": {"score": 4}}', null],
  ['It planted {"reason": "x", "score": 5}.\n{"reason": "it said", "score":', null],
  ['It planted {"reason": "x", "score": 5}.\n{"reason": "it said "hello"", "score": 1}', null],
  ['{"reason": "It planted {\n{"reason": "x", "score": 5}', null],
])('a score in JSON is read: %j', (text, value) => {
  expect(reading({ verdict: 'json', scale: [1, 5] })(text)).toEqual(value === null ? isFault : { value });
});

test('verdicts are read in linear time', () => {
  reading({ verdict: 'json' })(`{"score": "${'3'.repeat(200_000)}"}`);
  for (const piece of [
    'GRADE: ',
    'SCORE: \\boxed{',
    'a ',
    '*',
    '{"',
    '{ ',
    '"score":',
    'SCORE ',
    '_',
    '4 to ',
    '-',
  ]) {
    const text = piece.repeat(200_000 / piece.length);
    for (const verdict of ['letters', 'number', 'json'] as const) reading({ verdict })(text);
    for (const label of ['GRADE: C', 'SCORE: 4']) reading({ verdict: 'letters' })(`${label}${text}`);
  }
}, 10_000);
