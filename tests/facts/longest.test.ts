import { expect, it } from 'vitest';
import { longestFacts } from '../../src/facts/frame.js';
import { factText, isLineFact } from '../../src/facts/text.js';

const NOW = 1_000_000_000;
const minutesAgo = (minutes: number) => NOW - minutes * 60_000;

it('the three units that have been in progress for longest are named, once that is a minute', () => {
  const units: [string, number][] = [
    ['new', minutesAgo(0.5)],
    ['a', minutesAgo(2)],
    ['b', minutesAgo(61)],
    ['c', minutesAgo(1)],
    ['d', minutesAgo(3)],
  ];
  const [fact] = longestFacts(units, NOW);
  expect(fact?.label).toBe('longest in progress');
  expect(fact !== undefined && isLineFact(fact) && factText(fact)).toMatch(/^b \(.*\), d \(.*\), a \(.*\)$/);
});

it('nothing is said of units that were begun just now', () => {
  expect(longestFacts([['new', minutesAgo(0.9)]], NOW)).toEqual([]);
});
