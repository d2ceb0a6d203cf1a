import { expect, it } from 'vitest';
import { addScores, scoreFigures } from '../../../src/kinds/own-kind/scores.js';

it('scores are added up by name, as a share where all said true or false', () => {
  let sums = addScores({}, { right: true, length: 3 });
  sums = addScores(sums, { right: false, length: 4, rare: true });
  sums = addScores(sums, { rare: 0.5, constructor: 1 });
  expect(sums).toEqual({
    right: { sum: 1, samples: 2, is_share: true },
    length: { sum: 7, samples: 2, is_share: false },
    rare: { sum: 1.5, samples: 2, is_share: false },
    constructor: { sum: 1, samples: 1, is_share: false },
  });
});

it('the figure of a score is over the samples that have it, with an interval from two on', () => {
  const { right, rare } = scoreFigures([{ right: true, rare: 2 }, { right: true }, { right: false }]);
  expect(right).toMatchObject({ samples: 3, mean: 2 / 3, is_share: true });
  expect(right?.interval?.[0]).toBeLessThan(2 / 3);
  expect(rare).toEqual({ samples: 1, mean: 2, interval: null, is_share: false });
  expect(scoreFigures([])).toEqual({});
});
