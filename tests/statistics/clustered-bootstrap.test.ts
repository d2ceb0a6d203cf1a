import { describe, expect, test } from 'vitest';
import { ClusterSums } from '../../src/statistics/cluster-sums.js';
import {
  boundsOf,
  clusteredBootstrap,
  clusteredMean,
  clusterOf,
} from '../../src/statistics/clustered-bootstrap.js';
import { createRandom } from '../../src/statistics/random.js';

const widthOf = (clusters: number[][]) => {
  const interval = clusteredBootstrap(clusters.map(clusterOf));
  return (interval?.upper ?? 0) - (interval?.lower ?? 0);
};

describe('the clustered bootstrap', () => {
  test('of two clusters is that of a binomial with three outcomes', () => {
    // Means 0, 0.5 and 1 with chances 1/4, 1/2 and 1/4.
    const clusters = [clusterOf([0, 0]), clusterOf([1, 1])];
    const interval = (confidence: number) => {
      const { estimate, lower, upper } = clusteredBootstrap(clusters, { confidence }) ?? {};
      return [estimate, lower, upper];
    };
    expect(interval(0.95)).toEqual([0.5, 0, 1]);
    expect(interval(0.6)).toEqual([0.5, 0, 1]);
    expect(interval(0.4)).toEqual([0.5, 0.5, 0.5]);
  });

  test('takes values that repeat within a cluster for no more than one', () => {
    const single = [[0], [1], [0], [1], [1], [0], [1], [1]];
    const repeated = single.map(([value = 0]) => Array<number>(16).fill(value));
    const independent = repeated.flat().map((value) => [value]);
    expect(widthOf(repeated)).toBe(widthOf(single));
    expect(widthOf(independent)).toBeLessThan(widthOf(repeated) / 2);
  });

  test('counts every value alike where clusters differ in size', () => {
    expect(clusteredBootstrap([clusterOf([1, 1, 1]), clusterOf([0]), clusterOf([])])).toMatchObject({
      estimate: 0.75,
      clusters: 2,
    });
  });

  test('agrees with the normal interval of many clusters', () => {
    const random = createRandom('normal');
    const values = Array.from({ length: 400 }, () => random());
    const mean = values.reduce((sum, value) => sum + value, 0) / 400;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 400);
    const interval = clusteredBootstrap(values.map((value) => clusterOf([value])));
    expect(interval?.estimate).toBeCloseTo(mean, 12);
    expect(interval?.lower).toBeCloseTo(mean - (1.96 * deviation) / 20, 2);
    expect(interval?.upper).toBeCloseTo(mean + (1.96 * deviation) / 20, 2);
  });

  test('holds the true mean about as often as it says', () => {
    let held = 0;
    for (let sample = 0; sample < 300; sample += 1) {
      const random = createRandom(`sample ${sample}`);
      // Each of 40 tasks has a chance of its own, whose mean is 1/2, and 4 trials.
      const clusters = Array.from({ length: 40 }, () => {
        const chance = random();
        return clusterOf(Array.from({ length: 4 }, () => (random() < chance ? 1 : 0)));
      });
      const interval = clusteredBootstrap(clusters, { resamples: 500, confidence: 0.9, seed: sample });
      if ((interval?.lower ?? 1) <= 0.5 && 0.5 <= (interval?.upper ?? 0)) held += 1;
    }
    expect(held / 300).toBeGreaterThan(0.83);
    expect(held / 300).toBeLessThan(0.96);
  });

  test('is fixed by its seed', () => {
    const clusters = [0.1, 0.7, 0.3, 0.9, 0.2].map((value) => clusterOf([value]));
    const bounds = (seed: number) => clusteredBootstrap(clusters, { seed, resamples: 99 });
    expect(bounds(1)).toEqual(bounds(1));
    expect(bounds(1)).not.toEqual(bounds(2));
  });

  test('has no bounds of one cluster, and says nothing of none', () => {
    expect(clusteredBootstrap([clusterOf([0, 1])])).toMatchObject({
      estimate: 0.5,
      lower: null,
      upper: null,
    });
    expect(clusteredBootstrap([clusterOf([])])).toBeNull();
    expect(clusteredBootstrap([])).toBeNull();
  });

  test.each([{ confidence: 0 }, { confidence: 1 }, { resamples: 0 }, { resamples: 1.5 }])(
    'refuses %j',
    (options) => {
      expect(() => clusteredBootstrap([clusterOf([1])], options)).toThrow(RangeError);
    },
  );
});

describe('the clustered standard error', () => {
  test.each<[string, number[][], number | null]>([
    // Differences of 30 pairs on AIME 2024: 9 better, 1 worse, 20 equal; s/√n = .0951, from 10 − 30·(8/30)².
    [
      'of single values is s/√n',
      [...Array(9).fill([1]), [-1], ...Array(20).fill([0])],
      Math.sqrt((10 - 64 / 30) / 29 / 30),
    ],
    // Deviations of the sums from the mean of 1/2 a value: 0.5, -1, 0.5.
    ['adds up the deviations of clusters', [[1, 1, 0], [0, 0], [1]], Math.sqrt((3 / 2) * 1.5) / 6],
    [
      'is larger where values of a cluster agree',
      [
        [1, 1],
        [0, 0],
        [1, 1],
        [0, 0],
      ],
      Math.sqrt((4 / 3) * 4) / 8,
    ],
    [
      'is smaller where they make up for each other',
      [
        [1, 0],
        [1, 0],
      ],
      0,
    ],
    ['is 0, and no rounding error, where all values are equal', Array(7).fill([0.1, 0.1, 0.1]), 0],
    ['leaves empty clusters out', [[1], [], [0]], 0.5],
    ['is unknown of one cluster', [[1, 0, 1]], null],
  ])('%s', (_name, groups, expected) => {
    const stderr = clusteredBootstrap(groups.map(clusterOf), { resamples: 10 })?.stderr;
    if (expected === null || expected === 0) expect(stderr).toBe(expected);
    else expect(stderr).toBeCloseTo(expected, 6);
  });

  test('is the same from sums by cluster, in any order, and finite for the largest numbers', () => {
    const sums = new ClusterSums();
    const values: [string, number][] = [
      ['a', 1],
      ['b', 0],
      ['a', 1],
      ['c', 1],
      ['b', 0],
      ['a', 0],
    ];
    for (const [cluster, value] of values) sums.add(cluster, value);
    const listed = clusteredBootstrap([[1, 1, 0], [0, 0], [1]].map(clusterOf));
    expect(sums.interval()).toEqual(listed);
    expect(new ClusterSums().interval()).toBeNull();
    const huge = new ClusterSums();
    for (const cluster of ['a', 'b', 'c']) {
      huge.add(cluster, 1.7e308);
      huge.add(cluster, cluster === 'a' ? -1.7e308 : 1.7e308);
    }
    const { estimate = 0, stderr } = huge.interval() ?? {};
    expect(estimate / 1.7e308).toBeCloseTo(2 / 3, 12);
    expect((stderr ?? 0) / 1.7e308).toBeCloseTo(1 / 3, 12);
  });
});

describe('the interval of values that are all equal', () => {
  const of = (values: number[], isShare: boolean) => {
    const sums = new ClusterSums();
    for (const [index, value] of values.entries()) sums.add(String(index), value);
    return boundsOf(sums.interval({ isShare }));
  };

  test.each([
    [
      [1, 1, 1, 1, 1],
      [0.5655, 1],
    ],
    [
      [0, 0],
      [0, 0.6576],
    ],
    [
      [0.5, 0.5, 0.5, 0.5],
      [0.15, 0.85],
    ],
  ])('is Wilson’s for the shares %j', (values, bounds) => {
    expect(of(values, true)).toEqual(bounds.map((bound) => expect.closeTo(bound, 4)));
  });

  test('counts clusters, not values', () => {
    const groups = [
      [1, 1, 1],
      [1, 1, 1],
    ];
    expect(boundsOf(clusteredMean(groups, { isShare: true }))).toEqual([expect.closeTo(0.3424, 4), 1]);
  });

  test('is none for other values, and a bootstrap’s where values differ', () => {
    expect(of([0.1, 0.1, 0.1], false)).toBeNull();
    expect(of([1, 1, 0], true)).toEqual([0, 1]);
    expect(of([1], true)).toBeNull();
  });
});
