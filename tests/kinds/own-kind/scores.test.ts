import { expect, it } from 'vitest';
import { addSampleScores } from '../../../src/kinds/own-kind/scores.js';

it('scores are added up by name, as a share where all said true or false', () => {
  let sums = addSampleScores({}, { right: true, length: 3 });
  sums = addSampleScores(sums, { right: false, length: 4, rare: true });
  sums = addSampleScores(sums, { rare: 0.5, constructor: 1 });
  expect(sums).toEqual({
    right: { sum: 1, samples: 2, is_share: true },
    length: { sum: 7, samples: 2, is_share: false },
    rare: { sum: 1.5, samples: 2, is_share: false },
    constructor: { sum: 1, samples: 1, is_share: false },
  });
});
