import { describe, expect, test } from 'vitest';
import { circlePacking } from '../../../../../src/kinds/evolve/evolution/domains/circle-packing.js';
import { crosswordsDomain } from '../../../../../src/kinds/evolve/evolution/domains/crosswords.js';
import { type Domain, scoreOutput } from '../../../../../src/kinds/evolve/evolution/domains/domain.js';
import { cpuSeconds } from '../../../../support/cpu-seconds.js';
import { example } from '../support.js';

// Scoring stops a worker's thread, and the program whose output it is would like to: what takes milliseconds here took
// ten seconds and more where a pattern goes back over what it has read.
const LENGTH = 90_000;
const BOUND = 3;

async function expectQuick(domain: Domain, output: string, data = {}): Promise<void> {
  const spent = await cpuSeconds(() => scoreOutput(domain, output, example('x', '', data)));
  expect(spent).toBeLessThan(BOUND);
}

describe('crosswords', () => {
  test.each([
    // Of the third degree before, so shorter.
    ['an entry of gaps that no point ends', `Across:\n1${' '.repeat(4_000)}\u2028`],
    ['a rule that is none', `${'|'.repeat(LENGTH)}x`],
    ['brackets that are never closed', `Across:\n1. ${'('.repeat(LENGTH)}`],
    ['square brackets that are never closed', `Across:\n1. ${'['.repeat(LENGTH)}`],
    ['rows of a heading’s word', 'DOWN\n'.repeat(LENGTH / 5)],
    ['a heading’s word and empty lines', `DOWN\n${'\n'.repeat(LENGTH)}x`],
    ['labels', 'Grid\n'.repeat(LENGTH / 5)],
    ['gaps', `a${' '.repeat(LENGTH)}b`],
  ])('take %s in their stride', async (_, output) => {
    await expectQuick(crosswordsDomain('strict'), output, { solution: 'CANE\nOVEN\nDOWN\nEWES' });
  });
});

describe('circles', () => {
  test.each([
    ['gaps', `1${' '.repeat(LENGTH)}2`],
    ['gaps within JSON', `[1${' '.repeat(LENGTH)}2]`],
    ['escaped quotes that are never closed', `["${'\\"'.repeat(LENGTH / 2)}`],
    ['commas and gaps', `[${', '.repeat(LENGTH / 2)}x`],
    ['opening brackets', '['.repeat(LENGTH)],
    ['fences', '```'.repeat(LENGTH / 3)],
  ])('take %s in their stride', async (_, output) => {
    await expectQuick(circlePacking, output);
  });
});
