import { expect, it } from 'vitest';
import { readFrom } from '../../../../src/kinds/run/scorers/scorers.js';

it.each([
  ['It is <answer>Oslo</answer>', 'Oslo'],
  ['{"answer":"Oslo"}', 'Oslo'],
  ['```json\n{"reason":"The answer is north.","answer":"Oslo","confidence":0.9}\n```', 'Oslo'],
  ['{"capital":"Oslo"}', '{"capital":"Oslo"}'],
])('scorers read the marked answer of %j, or all of it', (reply, answer) => {
  expect(readFrom(reply, 'answer')).toBe(answer);
  expect(readFrom(reply, 'reply')).toBe(reply);
});
