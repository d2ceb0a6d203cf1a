import { describe, expect, test } from 'vitest';
import { newcombeInterval, wilsonInterval } from '../../src/statistics/proportions.js';

describe('Wilson’s interval', () => {
  // statsmodels 0.15.0, proportion_confint(successes, count, method='wilson').
  test.each([
    [7, 30, 0.11792388144489496, 0.40928326158122175],
    [15, 30, 0.3315412564053376, 0.6684587435946624],
    [0, 10, 0, 0.27753279986288926],
    [10, 10, 0.7224672001371106, 1],
    [1, 1, 0.2065493143772374, 1],
  ])('of %d of %d', (successes, count, lower, upper) => {
    const interval = wilsonInterval(successes, count);
    expect(interval[0]).toBeCloseTo(lower, 10);
    expect(interval[1]).toBeCloseTo(upper, 10);
  });
});

describe('Newcombe’s interval of paired proportions', () => {
  // Both, baseline only, other only, neither; bounds at 95 % and at 90 %. Newcombe (1998), method 10, computed a second
  // time in Python 3.11 over Wilson's intervals of statsmodels 0.15.0. The R package contingencytables has 0.0046 to
  // 0.1186 for the second table.
  test.each<[number[], number[], number[]]>([
    [
      [6, 1, 9, 14],
      [0.06505104222640029, 0.4382472754167953],
      [0.09726334189454788, 0.414276074357924],
    ],
    [
      [59, 6, 16, 80],
      [0.004625113933050047, 0.11862119563870992],
      [0.013785990793168425, 0.10974484287179015],
    ],
    [
      [1, 7, 1, 12],
      [-0.506920226686141, -0.02555912416485978],
      [-0.4747983221020924, -0.06887003476535292],
    ],
    [
      [0, 3, 0, 4],
      [-0.7495416354723428, 0.01711908109994087],
      [-0.7105229089864071, -0.05933610508053946],
    ],
    [
      [14, 5, 22, 9],
      [0.1454374841247586, 0.5006564553633357],
      [0.17738803330760863, 0.47822091754088714],
    ],
    [
      [10, 5, 5, 10],
      [-0.20401366987807917, 0.20401366987807917],
      [-0.17416155233729524, 0.17416155233729524],
    ],
    [
      [400, 60, 90, 450],
      [0.00598870128003989, 0.05392345082015025],
      [0.009843784107931092, 0.05009427494565845],
    ],
    // All equal, and a single pair: still no certainty.
    [
      [0, 0, 0, 5],
      [-0.43448246478317476, 0.43448246478317476],
      [-0.3511165007651014, 0.3511165007651014],
    ],
    [
      [20, 0, 0, 0],
      [-0.16112515805281935, 0.16112515805281935],
      [-0.11915783736096452, 0.11915783736096452],
    ],
    [
      [0, 0, 1, 0],
      [-0.12210872068194178, 1],
      [-0.03256547758000283, 1],
    ],
  ])('of the table %j', ([both = 0, baseline_only = 0, other_only = 0, neither = 0], ...expected) => {
    for (const [index, confidence] of [0.95, 0.9].entries()) {
      const interval = newcombeInterval({ both, baseline_only, other_only, neither }, confidence);
      for (const side of [0, 1]) expect(interval[side]).toBeCloseTo(expected[index]?.[side] as number, 10);
    }
  });
});
