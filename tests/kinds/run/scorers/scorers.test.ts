import { expect, it } from 'vitest';
import { readFrom, scoreAnswer } from '../../../../src/kinds/run/scorers/scorers.js';

it.each([
  ['It is <answer>Oslo</answer>', 'Oslo'],
  ['{"answer":"Oslo"}', 'Oslo'],
  ['```json\n{"reason":"The answer is north.","answer":"Oslo","confidence":0.9}\n```', 'Oslo'],
  ['{"capital":"Oslo"}', '{"capital":"Oslo"}'],
])('scorers read the marked answer of %j, or all of it', (reply, answer) => {
  expect(readFrom(reply, 'answer')).toBe(answer);
  expect(readFrom(reply, 'reply')).toBe(reply);
});

it.each([
  [
    'я иду на работу',
    { f1: 1, bleu: 1 },
    { rouge: 'the right answer has no letter or digit of ASCII, and ROUGE sees no others: use f1' },
  ],
  ['I walk to work', { f1: 1, bleu: 1, 'rouge.1': 1 }, {}],
  [' ', {}, { f1: 'the right answer is empty', bleu: 'the right answer is empty' }],
])('measures that cannot see the right answer %j give no score', async (target, scores, unscored) => {
  const scorers = Object.fromEntries(
    ['f1', 'rouge', 'bleu'].map((type) => [type, { type, reads: 'answer' }]),
  ) as Parameters<typeof scoreAnswer>[0];
  const answer = { task: { target }, row: { action: target }, calls: [] } as unknown as Parameters<
    typeof scoreAnswer
  >[1];
  const scored = await scoreAnswer(scorers, answer, {} as Parameters<typeof scoreAnswer>[2]);
  expect(scored).toMatchObject({ scores, unscored });
  if (target.trim() !== '') expect(Object.keys(scored.unscored)).toEqual(Object.keys(unscored));
});
