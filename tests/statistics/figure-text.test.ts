import { expect, test } from 'vitest';
import { dollarsText, durationText, percentText, scoreText } from '../../src/statistics/figure-text.js';

test.each([
  [0, '0.0 %'],
  [1, '100.0 %'],
  [0.5, '50.0 %'],
  [2 / 3, '66.7 %'],
  [1999 / 2000, '99.95 %'],
  [19_999 / 20_000, '99.995 %'],
  [1 / 50_000, '0.002 %'],
  [0.9994, '99.9 %'],
  [1e-15, '0.0000000000 %'],
])('%d of all is %s', (share, text) => {
  expect(percentText(share)).toBe(text);
});

test.each([
  [0, '$0.0000'],
  [0.12345, '$0.1235'],
  [12, '$12.0000'],
  [0.00004, '$0.00004'],
  [0.00006, '$0.0001'],
  [1e-8, '$0.00000001'],
])('%d dollars are %s', (cost, text) => {
  expect(dollarsText(cost)).toBe(text);
});

test.each([
  [0, '0.0 s'],
  [119.94, '119.9 s'],
  [120, '2 min 0 s'],
  [179.7, '3 min 0 s'],
  [7199, '119 min 59 s'],
  [7200, '2 h 0 min'],
  [90_061, '25 h 1 min'],
])('%s seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test.each([
  [0.58333, '0.5833'],
  [1, '1'],
  [-0.00000000001, '0'],
  [0.9999999999, '0.9999999999'],
  [0.99999, '0.99999'],
  [0.9999999999999999, '1'],
  [0.00001, '0.00001'],
  [1e15, '1000000000000000'],
  [1.23456789e30, '1.2346e+30'],
  [-1e308, '-1e+308'],
  [Number.MAX_VALUE, '1.7977e+308'],
])('a score of %s reads %s', (score, text) => {
  expect(scoreText(score)).toBe(text);
});
