import { describe, expect, test } from 'vitest';
import {
  alignedScore,
  colourClass,
  positionOn,
  scoreScale,
} from '../../../../src/kinds/evolve/report/score-scale.js';

describe('the scale of scores', () => {
  test.each([
    ['shares that are far apart', [0.1, 0.9], [0, 0.25, 0.5, 0.75, 1], 2],
    ['shares that are close', [0.721, 0.8], [0.72, 0.74, 0.76, 0.78, 0.8], 2],
    ['no score at all', [], [0, 0.25, 0.5, 0.75, 1], 2],
    ['one share', [0.5], [0, 0.25, 0.5, 0.75, 1], 2],
    ['nothing but failures', [0, 0], [0, 0.25, 0.5, 0.75, 1], 2],
    ['sums of radii', [1.8, 2.636], [1.75, 2, 2.25, 2.5, 2.75], 2],
    ['one score above 1', [26], [0, 10, 20, 30], 0],
    ['scores that differ by rounding only', [0.7, 0.7 + 1e-16], [0, 0.25, 0.5, 0.75, 1], 2],
    ['large scores', [0, 90000], [0, 25000, 50000, 75000, 100000], 0],
  ])('for %s', (_, scores, ticks, digits) => {
    const scale = scoreScale(scores);
    expect(scale.ticks).toEqual(ticks);
    expect(scale.digits).toBe(digits);
    for (const score of scores) {
      expect(score).toBeGreaterThanOrEqual(scale.low);
      expect(score).toBeLessThanOrEqual(scale.high);
    }
  });

  test('colours the ends with the ends of the scale, and no score with none of it', () => {
    const scale = scoreScale([0, 1]);
    expect([0, 0.5, 1].map((score) => colourClass(scale, score))).toEqual(['c0', 'c5', 'c10']);
    expect(colourClass(scale, null)).toBe('c-none');
    expect(positionOn(scale, 7)).toBe(1);
  });

  test('writes all scores with as many digits as one of them needs, and never more than four', () => {
    expect(alignedScore(scoreScale([0, 1]), 1)).toBe('1');
    expect(alignedScore(scoreScale([0.5, 0.75]), 0.5)).toBe('0.50');
    expect(alignedScore(scoreScale([0.5], [1 / 3]), 0.5)).toBe('0.5000');
  });
});
