import type { DatasetExample } from '../types.js';
import { type Circle, readCircles, UNIT } from './circles.js';
import type { Domain, DomainScore } from './domain.js';

export const CIRCLES = 26;

/**
 * Packing of 26 circles into the unit square; the score is the sum of their radii, and any fault makes it 0. The best
 * published sum is 2.63598 (see ShinkaEvolve, OpenEvolve, AlphaEvolve).
 *
 * Numbers are read as exact decimals and compared as integers, without tolerance: circles that only touch up to
 * rounding overlap, so shrink the radii a little.
 */
export const circlePacking: Domain = {
  answerFormat:
    `${CIRCLES} circles inside the unit square that do not overlap, as a JSON list of [x, y, radius]; or one circle a line, as ` +
    '"x y radius". The numbers are compared exactly, without a tolerance: leave gaps of 1e-9 or so.',
  perfect: null,
  findFault: () => null,
  score(output): DomainScore {
    const read = readCircles(output);
    if ('fault' in read) return { score: 0, message: read.fault };
    const fault = findFault(read.circles);
    if (fault !== null) return { score: 0, message: fault };
    const sum = read.circles.reduce((total, { radius }) => total + radius, 0n);
    const score = toNumber(sum);
    return { score, message: `The radii add up to ${score}.` };
  },
  expectedOutput: () =>
    `${CIRCLES} circles in the unit square without overlap, with a sum of radii as large as possible (above 2.6 is good).`,
  generate(_seed, count): DatasetExample[] {
    return Array.from({ length: count }, (_, index) => ({
      id: `circle-packing-${index}`,
      input: String(CIRCLES),
      scoring_data: {},
    }));
  },
};

function findFault(circles: readonly Circle[]): string | null {
  if (circles.length !== CIRCLES) return `There are ${circles.length} circles, not ${CIRCLES}.`;
  for (const [index, { x, y, radius }] of circles.entries()) {
    if (radius <= 0n) return `Circle ${index} has no positive radius.`;
    if (x < radius || y < radius || x + radius > UNIT || y + radius > UNIT) {
      return `Circle ${index} is not inside the unit square.`;
    }
  }
  for (const [first, one] of circles.entries()) {
    for (let second = first + 1; second < circles.length; second += 1) {
      const other = circles[second] as Circle;
      const reach = one.radius + other.radius;
      if ((one.x - other.x) ** 2n + (one.y - other.y) ** 2n < reach ** 2n) {
        return `Circles ${first} and ${second} overlap.`;
      }
    }
  }
  return null;
}

/** Converts a length to a number, rounded down in the 15th digit after the point. */
function toNumber(length: bigint): number {
  const digits = 10n ** 15n;
  return Number((length * digits) / UNIT) / Number(digits);
}
