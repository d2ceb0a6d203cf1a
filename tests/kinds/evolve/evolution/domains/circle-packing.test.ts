import { describe, expect, test } from 'vitest';
import { CIRCLES, circlePacking } from '../../../../../src/kinds/evolve/evolution/domains/circle-packing.js';
import { scoreOutput } from '../../../../../src/kinds/evolve/evolution/domains/domain.js';
import { createRandom } from '../../../../../src/statistics/random.js';
import { below, example, pick } from '../support.js';

type Triple = [string, string, string];

/** 25 circles of radius 0.1 in rows, each touching its neighbours, and a small one in a gap. Sum: 2.541. */
const PACKING: Triple[] = [
  ...Array.from(
    { length: 25 },
    (_, index): Triple => [`0.${1 + 2 * (index % 5)}`, `0.${1 + 2 * Math.floor(index / 5)}`, '0.1'],
  ),
  ['0.2', '0.2', '0.041'],
];

const score = async (output: string) => (await scoreOutput(circlePacking, output, example('c', '26'))).score;
const message = async (output: string) =>
  (await scoreOutput(circlePacking, output, example('c', '26'))).message;

const json = (circles: readonly (readonly string[])[]) =>
  `[${circles.map((circle) => `[${circle.join(', ')}]`).join(', ')}]`;

/** The packing with one circle exchanged. */
const withCircle = (index: number, circle: readonly string[]) =>
  json(PACKING.map((one, at) => (at === index ? circle : one)));

describe('a packing', () => {
  test.each([
    ['a JSON list', json(PACKING)],
    ['Python tuples', `[${PACKING.map((circle) => `(${circle.join(', ')})`).join(', ')},]`],
    ['objects with r', `[${PACKING.map(([x, y, r]) => `{"x": ${x}, "y": ${y}, "r": ${r}}`).join()}]`],
    [
      'objects with radius',
      JSON.stringify({ circles: PACKING.map(([x, y, radius]) => ({ x: +x, y: +y, radius: +radius })) }),
    ],
    [
      'centers and radii',
      `{"centers": ${json(PACKING.map(([x, y]) => [x, y]))}, "radii": [${PACKING.map(([, , r]) => r)}]}`,
    ],
    ['lines', PACKING.map((circle) => circle.join(' ')).join('\n')],
    ['lines with commas', `${PACKING.map((circle) => circle.join(', ')).join('\n\n')}\n`],
    ['a fenced block', `\`\`\`json\n${json(PACKING)}\n\`\`\``],
    [
      'exponents',
      json(PACKING.map((circle) => circle.map((number) => `${number.slice(2)}E-${number.length - 2}`))),
    ],
    ['signs and zeros', json(PACKING.map((circle) => circle.map((number) => `+0${number}000`)))],
  ])('of valid circles, as %s, scores the sum of its radii', async (_, output) => {
    expect(await score(output)).toBeCloseTo(2.541, 12);
    expect(await message(output)).toContain('2.541');
  });

  test('that is only touching is no overlap, and one that overlaps by a hair is', async () => {
    expect(await score(withCircle(0, ['0.1', '0.1', '0.1']))).toBeGreaterThan(2.5);
    const hair = `0.1${'0'.repeat(40)}1`;
    // As doubles the two radii are the same number.
    expect(Number(hair)).toBe(0.1);
    const inner = PACKING.findIndex(([x, y]) => x === '0.5' && y === '0.5');
    expect(await score(withCircle(inner, ['0.5', '0.5', hair]))).toBe(0);
    expect(await message(withCircle(inner, ['0.5', '0.5', hair]))).toContain('overlap');
    expect(await score(withCircle(inner, ['0.5', '0.5', `0.0${'9'.repeat(40)}`]))).toBeGreaterThan(2.5);
  });

  test('that leaves the square by a hair is none', async () => {
    const hair = `${'0'.repeat(40)}1`;
    for (const circle of [
      [`0.0${'9'.repeat(40)}`, '0.1', '0.1'],
      ['0.1', `0.0${'9'.repeat(40)}`, '0.1'],
    ]) {
      expect(await score(withCircle(0, circle))).toBe(0);
      expect(await message(withCircle(0, circle))).toContain('not inside');
    }
    for (const circle of [
      [`0.9${hair}`, '0.9', '0.1'],
      ['0.9', `0.9${hair}`, '0.1'],
      ['-0.5', '0.5', '0.1'],
      ['2', '2', '0.1'],
    ]) {
      expect(await message(withCircle(24, circle))).toContain('not inside');
    }
  });

  test.each(['0', '-0', '-0.05', '0.0', '-1e-300', '0e5'])('with the radius %s is none', async (radius) => {
    expect(await message(withCircle(25, ['0.2', '0.2', radius]))).toContain('no positive radius');
    expect(await score(withCircle(25, ['0.2', '0.2', radius]))).toBe(0);
  });

  test.each([
    'NaN',
    'nan',
    '-NaN',
    'Infinity',
    '-Infinity',
    'inf',
    '1e999',
    '1e99999',
    '1e-99999',
    'null',
    'true',
    '"0.05"',
    '"NaN"',
    '""',
    '[]',
    '{}',
    '0x1p-5',
    '1/20',
    '0.05+0',
    '0_1',
    '0.0.5',
    '.',
    'e',
    '-',
    '--0.05',
    '1e',
    '0.05j',
    '٠.١',
    '',
    `0.${'0'.repeat(200)}1`,
    '__import__("os")',
    '{"valueOf": 1}',
    'undefined',
  ])('with the number %j scores 0, in each place', async (number) => {
    for (const place of [0, 1, 2]) {
      const circle = ['0.2', '0.2', '0.041'].map((one, at) => (at === place ? number : one));
      expect(await score(withCircle(25, circle)), String(place)).toBe(0);
      expect(await score([...PACKING.slice(0, 25), circle].map((one) => one.join(' ')).join('\n'))).toBe(0);
      const object = `{"x": ${circle[0]}, "y": ${circle[1]}, "r": ${circle[2]}}`;
      expect(
        await score(`[${PACKING.slice(0, 25).map(([x, y, r]) => `{"x":${x},"y":${y},"r":${r}}`)},${object}]`),
      ).toBe(0);
    }
  });

  test('of another number of circles scores 0', async () => {
    expect(await score(json(PACKING.slice(1)))).toBe(0);
    expect(await score(json([...PACKING, ['0.4', '0.4', '0.001']]))).toBe(0);
    expect(await score(json([]))).toBe(0);
    expect(await message(json(PACKING.slice(1)))).toContain(`25 circles, not ${CIRCLES}`);
    expect(await score(`{"centers": ${json(PACKING.map(([x, y]) => [x, y]))}, "radii": [0.1]}`)).toBe(0);
  });

  test('of circles within circles scores 0', async () => {
    expect(await score(json(Array.from({ length: CIRCLES }, () => ['0.5', '0.5', '0.5'])))).toBe(0);
    expect(await score(withCircle(25, ['0.1', '0.1', '0.0001']))).toBe(0);
  });

  test.each([
    '',
    ' ',
    'no',
    '{}',
    '[',
    '[[]]',
    'null',
    '[null]',
    '{"circles": 5}',
    '[1, 2, 3]',
    '(((',
    '{"circles": {"circles": []}}',
    '{"length": 26}',
    '{"__proto__": []}',
    'Infinity',
    `${'['.repeat(50_000)}`,
    '9'.repeat(99_999),
    `${json(PACKING)}\nDone`,
    `Here: ${json(PACKING)}`,
    `${json(PACKING)}${json(PACKING)}`,
    json(PACKING.map((circle) => [...circle, '1'])),
    json(PACKING.map(([x, y]) => [x, y])),
    ' '.repeat(200_000),
  ])('is not read from other output (case %#)', async (output) => {
    expect(await score(output)).toBe(0);
    expect(await message(output)).toMatch(/\.$/);
  });
});

test('no garbage makes the checker throw, or a score above what is possible', async () => {
  const PIECES = [
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    '"',
    ',',
    '0.1',
    '1e9',
    'NaN',
    'Infinity',
    '-',
    '.',
    '#',
    '"x":',
    '"r":',
    '\n',
    ' ',
    '26',
  ];
  const random = createRandom('circles');
  for (let round = 0; round < 3_000; round += 1) {
    const garbage = Array.from({ length: below(40, random) }, () => pick(PIECES, random)).join('');
    expect(await score(garbage)).toBe(0);
    // The valid packing with a character exchanged: still a packing, or nothing.
    const output = json(PACKING);
    const at = below(output.length, random);
    const damaged = await score(output.slice(0, at) + pick(PIECES, random) + output.slice(at + 1));
    expect(damaged).toBeGreaterThanOrEqual(0);
    expect(damaged).toBeLessThan(2.64);
  }
});

test('examples are made on demand', () => {
  const examples = circlePacking.generate?.(1, 3) ?? [];
  expect(new Set(examples.map(({ id }) => id)).size).toBe(3);
  expect(examples.map((one) => circlePacking.findFault(one))).toEqual([null, null, null]);
});
