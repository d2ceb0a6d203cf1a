import { describe, expect, it } from 'vitest';
import { extractMarkedAnswer } from '../../src/grading/extraction/marked-answer.js';
import { extractNumericAnswer } from '../../src/grading/extraction/numeric-answer.js';

describe('the marked answer', () => {
  it.each([
    ['nothing is marked', null],
    ['', null],
    ['Answer: Lima', 'Lima'],
    ['answer: Lima', 'Lima'],
    ['**Answer:** Lima', 'Lima'],
    ['**Answer**: Lima', 'Lima'],
    ['**Answer: Lima**', 'Lima'],
    ['## Answer\n\nLima', 'Lima'],
    ['Answer:\n\n  Lima', 'Lima'],
    ['FINAL ANSWER:\n```\nLima\n```', 'Lima'],
    ['FINAL ANSWER:\n```python\nprint(1)\nprint(2)\n```', 'print(1)\nprint(2)'],
    ['<answer>Lima</answer>', 'Lima'],
    ['<ANSWER>\nLima\n</ANSWER>', 'Lima'],
    ['<answer>Lima', 'Lima'],
    ['<answer></answer>', null],
    ['Answer: Quito\n<answer></answer>', 'Quito'],
    ['\\boxed{Lima}', 'Lima'],
    ['\\boxed{\\frac{a}{b}}', '\\frac{a}{b}'],
    ['\\boxed{\\{1,2\\}}', '\\{1,2\\}'],
    ['\\boxed{a} \\boxed{b}', 'b'],
    ['\\boxed{a\nb', 'a'],
    ['#### 12', '12'],
    ['Answer: Quito\nAnswer: Lima', 'Lima'],
    ['<answer>Quito</answer>\nAnswer: Lima', 'Lima'],
    ['Answer: Quito\n\\boxed{Lima}', 'Lima'],
    ['The answer is Lima', null],
    ['I put it in <answer> tags.', null],
    ['{"answer":"Lima"}', 'Lima'],
    ['{"reason":"The answer is Quito.","final_answer":"Lima","confidence":0.9}', 'Lima'],
    ['It is this:\n```json\n{"answer":"Lima"}\n```', 'Lima'],
    ['{"best_option":"Lima","worst_option":"Quito"}', 'Lima'],
    ['{"answerChoice":"Lima"}', 'Lima'],
    ['{"Respuesta":"Lima"}', 'Lima'],
    ['{"answer":98765432109876543210}', '98765432109876543210'],
    ['{"answer":"\\frac{1}{2}"}', '\\frac{1}{2}'],
    ['{"answer":"\\\\frac{1}{2}"}', '\\frac{1}{2}'],
    ['{"answer":"\\boxed{Lima} it is"}', 'Lima'],
    ['{"wrong_answer":"Lima"}', null],
    ['{"capital":"Lima"}', null],
  ])('of %j is %j', (reply, expected) => {
    expect(extractMarkedAnswer(reply)).toBe(expected);
  });
});

describe('the numeric answer', () => {
  it.each([
    ['The answer is 41', '41'],
    ['The answer to the second question is 41.', '41'],
    ['The final answer is: $41$.', '$41$'],
    ['Answer (in metres): 41', '41'],
    ['\\text{Answer: } 41', '41'],
    ['The sum is 40 + 1 = 41', '40 + 1 = 41'],
    ['The values are 4 and 1.', '4, 1'],
    ['It is 30% of them.', '30%'],
    ['It is 30 percent of them.', '30 percent'],
    ['Then $x^2 = 9$ holds.', 'x^2 = 9'],
    ['Chapter 3 says so, and it is 41.', '41'],
    ['{"answer": "41"}', '41'],
    ['{"answer": 41}', '41'],
    ['It is at least 41.', null],
    ['Between 4 and 41', null],
    ['The largest $k$ is 41 metres.', '41'],
    ['The answer is 41! That is all.', '41'],
    ['no digits at all', 'no digits at all'],
    ['', null],
  ])('of %j is %j', (reply, expected) => {
    expect(extractNumericAnswer(reply)?.answer ?? null).toBe(expected);
  });
});
