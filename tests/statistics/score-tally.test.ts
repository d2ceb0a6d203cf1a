import { expect, test } from 'vitest';
import { ScoreTally } from '../../src/statistics/score-tally.js';

test('the figure of a score is over the samples that have it, with its uncertainty from two on', () => {
  const tally = new ScoreTally();
  const samples: Record<string, number | boolean>[] = [
    { right: true, rare: 2 },
    { right: true },
    { right: false, constructor: 1 },
  ];
  for (const [index, scores] of samples.entries()) tally.add(`s${index}`, scores);
  const { right, rare, constructor: named } = tally.figures();
  expect(right).toMatchObject({ samples: 3, mean: 2 / 3, is_share: true });
  expect(right?.stderr).toBeCloseTo(1 / 3, 12);
  expect(right?.interval?.[0]).toBeLessThan(2 / 3);
  expect(rare).toEqual({ samples: 1, mean: 2, stderr: null, interval: null, is_share: false });
  expect(named).toMatchObject({ samples: 1, mean: 1 });
  expect(new ScoreTally().figures()).toEqual({});
});

test('a score is a share only where every value is true or false, and further names are left out', () => {
  const tally = new ScoreTally(2);
  tally.add('a', { mixed: true, whole: 1 });
  tally.add('b', { mixed: 0.5, third: 1 });
  expect(tally.figures()).toEqual({
    mixed: { samples: 2, mean: 0.75, stderr: 0.25, interval: [0.5, 1], is_share: false },
    whole: { samples: 1, mean: 1, stderr: null, interval: null, is_share: false },
  });
});
