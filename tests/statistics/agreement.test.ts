import { describe, expect, it } from 'vitest';
import { agreementOf, cohensKappa, krippendorffsAlpha } from '../../src/statistics/agreement.js';

const VALUES: Record<string, number> = { C: 1, P: 0.5, I: 0 };
const pairs = (left: string, right: string) =>
  [...left].map((letter, index) => [VALUES[letter], VALUES[right[index] as string]] as [number, number]);

/** Krippendorff 2011, Computing Krippendorff’s Alpha-Reliability, example C: four raters, twelve units. */
const EXAMPLE_C = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, null, null, null],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, null, 3],
  [null, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, null],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, null],
];
const unitsOf = (raters: (number | null)[][]) =>
  (raters[0] ?? []).map((_, unit) =>
    raters.map((ratings) => ratings[unit]).filter((value) => typeof value === 'number'),
  );

describe('agreement', () => {
  it('has the kappa that statsmodels computes', () => {
    expect(cohensKappa(pairs('CCIICCIIPC', 'CCIICICIPP'))).toBeCloseTo(0.5161290322580645, 12);
    expect(cohensKappa(pairs('CICI', 'ICIC'))).toBe(-1);
    expect(cohensKappa(pairs('CICI', 'CICI'))).toBe(1);
    expect(cohensKappa(pairs('CCC', 'CCC'))).toBeNull();
  });

  it('has the alphas that Krippendorff published', () => {
    expect(krippendorffsAlpha(unitsOf(EXAMPLE_C), 'nominal')).toBeCloseTo(0.743421052631579, 12);
    expect(krippendorffsAlpha(unitsOf(EXAMPLE_C), 'interval')).toBeCloseTo(0.8491071428571428, 12);
    const exampleA = [
      [0, 1, 0, 0, 0, 0, 0, 0, 1, 0],
      [1, 1, 1, 0, 0, 1, 0, 0, 0, 0],
    ];
    expect(krippendorffsAlpha(unitsOf(exampleA), 'nominal')).toBeCloseTo(0.09523809523809534, 12);
    expect(krippendorffsAlpha([[1, 1], [1]], 'nominal')).toBeNull();
  });

  it('is of the samples that have both, and nothing without one', () => {
    expect(agreementOf(pairs('CCIICCIIPC', 'CCIICICIPP'), 'nominal')).toMatchObject({
      samples: 10,
      accuracy: 0.7,
      level: 'nominal',
    });
    expect(agreementOf([], 'nominal')).toBeNull();
    expect(agreementOf([[0.1 + 0.2, 0.3]], 'interval')).toMatchObject({ accuracy: 1, alpha: null });
  });
});
