import { describe, expect, test } from 'vitest';
import { normalBound, studentBound } from '../../src/statistics/quantiles.js';

/** Reference: scipy 1.17.1, stats.norm.ppf((1 + share) / 2) and stats.t.ppf((1 + share) / 2, degrees). */
const NORMAL: [number, number][] = [
  [0.5, 0.6744897501960817],
  [0.8, 1.2815515655446004],
  [0.9, 1.6448536269514722],
  [0.95, 1.959963984540054],
  [0.99, 2.5758293035489004],
  [0.999, 3.2905267314919255],
];

const SHARES = [0.5, 0.9, 0.95, 0.99, 0.999];
const STUDENT: [number, number[]][] = [
  [1, [1, 6.313751514675037, 12.706204736174694, 63.656741162871526, 636.6192487687897]],
  [2, [0.8164965809277261, 2.9199855803537242, 4.302652729749462, 9.924843200918287, 31.599054576445365]],
  [3, [0.7648923284043444, 2.3533634348018233, 3.1824463052837078, 5.840909309733355, 12.923978636687961]],
  [9, [0.7027221467513264, 1.833112932656237, 2.262157162798205, 3.249835541592126, 4.780912585931217]],
  [29, [0.6830438608216131, 1.6991270265334972, 2.045229642132703, 2.756385903670605, 3.6594050194663748]],
  [30, [0.6827556933212927, 1.697260886593957, 2.0422724563012378, 2.7499956535672254, 3.6459586350420627]],
  [
    20_000,
    [0.6745020171411138, 1.6449298189594812, 1.9600826051581348, 2.576075153017255, 3.2910132833642876],
  ],
];

describe('bounds that hold a share', () => {
  test.each(NORMAL)('of the normal distribution: %d within %d', (share, expected) => {
    expect(normalBound(share)).toBeCloseTo(expected, 10);
  });

  test.each(STUDENT)('of Student’s t with %d degrees of freedom', (degrees, expected) => {
    for (const [index, share] of SHARES.entries()) {
      const bound = expected[index] as number;
      expect(studentBound(share, degrees) / bound).toBeCloseTo(1, 8);
    }
  });

  test('are found where hardly anything lies outside', () => {
    expect(normalBound(1 - 1e-12)).toBeCloseTo(7.13, 2);
    expect(studentBound(1 - 1e-12, 1)).toBeGreaterThan(1e11);
  });
});
