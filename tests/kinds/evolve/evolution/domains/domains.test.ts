import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { compareSymbolically } from '../../../../../src/grading/compare-symbolically.js';
import { BUILT_IN_DOMAINS } from '../../../../../src/kinds/evolve/contracts.js';
import { customDomain } from '../../../../../src/kinds/evolve/evolution/domains/custom.js';
import {
  type Domain,
  ScoringError,
  scoreOutput,
} from '../../../../../src/kinds/evolve/evolution/domains/domain.js';
import {
  builtInDomain,
  type DomainName,
} from '../../../../../src/kinds/evolve/evolution/domains/registry.js';
import { example } from '../support.js';

const services = { compareSymbolically };
const domain = (name: DomainName) => builtInDomain(name, {}, services);

const ROWS: Record<
  DomainName,
  {
    right: string;
    wrong: string;
    input: string;
    data: JsonObject;
    fault: JsonObject;
  }
> = {
  crosswords: {
    input: '',
    data: { solution: 'A T\nN O' },
    right: 'A T\nN O',
    wrong: 'X X\nX X',
    fault: { solution: '-' },
  },
  mcq: {
    input: '',
    data: { target: 'B', choices: ['lead', 'iron'] },
    right: 'The answer is (B).',
    wrong: 'A',
    fault: { target: 'C', choices: ['lead', 'iron'] },
  },
  numeric: { input: '', data: { answer: '\\frac{1}{2}' }, right: '0.5', wrong: '0.51', fault: {} },
  game24: {
    input: '4 7 8 8',
    data: {},
    right: '(7 - 8 / 8) * 4',
    wrong: '24',
    fault: { numbers: [1, 2, 3] },
  },
  equation_balancer: {
    input: '19 ? 8 ? 28 = -205',
    data: {},
    right: '19 - 8 * 28 = -205',
    wrong: '19 + 8 + 28 = 55',
    fault: { puzzle: 'none' },
  },
  circle_packing: { input: '26', data: {}, right: '', wrong: 'NaN', fault: {} },
};

describe.each(BUILT_IN_DOMAINS.filter((name) => name !== 'circle_packing'))('%s', (name) => {
  const { input, data, right, wrong, fault } = ROWS[name];
  const row = example('r', input, data);

  test('scores a right output 1 and a wrong one, or none, 0', async () => {
    expect(domain(name).findFault(row)).toBeNull();
    expect((await scoreOutput(domain(name), right, row)).score).toBe(1);
    expect((await scoreOutput(domain(name), wrong, row)).score).toBe(0);
    for (const output of ['', ' ', '\0', 'NaN', 'Infinity', '[]', '{}', 'x'.repeat(100_000)]) {
      const { score, message } = await scoreOutput(domain(name), output, row);
      expect(score).toBe(0);
      expect(message).not.toBe('');
    }
  });

  test('finds a row that it cannot judge', () => {
    expect(domain(name).findFault(example('r', '', fault))).toEqual(expect.any(String));
  });

  test('is perfect at 1', () => {
    expect(domain(name).perfect).toBe(1);
  });
});

describe.each(BUILT_IN_DOMAINS.filter((name) => domain(name).generate !== undefined))(
  'generated rows of %s',
  (name) => {
    test('are rows of the domain, the same for a seed, and solved by what is expected', async () => {
      const made = domain(name).generate?.(3, 25) ?? [];
      expect(made).toHaveLength(25);
      expect(domain(name).generate?.(3, 10)).toEqual(made.slice(0, 10));
      for (const row of made) {
        expect(domain(name).findFault(row)).toBeNull();
        if (name === 'circle_packing') continue;
        expect(
          (await scoreOutput(domain(name), domain(name).expectedOutput(row), row)).score,
          row.input,
        ).toBe(1);
      }
    });
  },
);

test('as many rows as a domain has can be had, and one more is refused', () => {
  expect(() => domain('game24').generate?.(1, 1_363)).toThrow(RangeError);
});

describe('what is expected', () => {
  test.each([
    ['mcq', { target: 'iron', choices: ['lead', 'iron'] }, 'B'],
    ['mcq', { answer: 1, choices: ['lead', 'iron'] }, 'B'],
    ['mcq', { correct_answer: 'c' }, 'C'],
    ['mcq', { answer: 'Aa', choices: ['AA', 'Aa', 'aa'] }, 'B'],
    ['numeric', { target: 12 }, '12'],
    ['game24', { answer: '4 * 6' }, '4 * 6'],
    ['equation_balancer', { target: '1 + 1 = 2' }, '1 + 1 = 2'],
    ['crosswords', { solution: 'A T\nN O' }, 'A T\nN O'],
  ] as [DomainName, JsonObject, string][])('of %s with %j is %j', (name, data, expected) => {
    expect(domain(name).expectedOutput(example('r', '', data))).toBe(expected);
  });

  test('is described in words where no answer is known', () => {
    for (const name of ['game24', 'equation_balancer', 'circle_packing'] as const) {
      expect(domain(name).expectedOutput(example('r', 'x'))).toMatch(/\w+ \w+/);
    }
  });
});

describe('rows', () => {
  test('may bring the numbers or the puzzle apart from the input', async () => {
    const game = example('g', 'Make 24 of 4, 7, 8 and 8.', { numbers: [4, 7, 8, 8] });
    expect((await scoreOutput(domain('game24'), '(7 - 8 / 8) * 4', game)).score).toBe(1);
    expect(domain('game24').findFault(example('g', 'Make 24 of 4, 7, 8 and 8.'))).not.toBeNull();
    expect(domain('game24').findFault(example('g', '', { numbers: [4, 7, 8, 8.5] }))).not.toBeNull();
    const balance = example('b', 'Fill it in, please.', { puzzle: '1 ? 1 = 2' });
    expect((await scoreOutput(domain('equation_balancer'), '1 + 1 = 2', balance)).score).toBe(1);
  });

  test('may allow a tolerance, from 0 to below 1', async () => {
    const row = (tolerance: number | string) => example('n', '', { target: '100', tolerance });
    expect((await scoreOutput(domain('numeric'), '100.5', row(0.01))).score).toBe(1);
    expect((await scoreOutput(domain('numeric'), '100.5', row(0))).score).toBe(0);
    for (const tolerance of [1, -0.1, 'much'])
      expect(domain('numeric').findFault(row(tolerance))).toContain('tolerance');
  });

  test('with a puzzle that cannot be read are refused, and others scored', async () => {
    for (const puzzle of ['Complete: 19 ? 8 ? 28 = -205.', '19 ? 8 ? 28 = -205']) {
      const row = example('b', puzzle);
      expect(domain('equation_balancer').findFault(row)).toBeNull();
      expect((await scoreOutput(domain('equation_balancer'), '19 - 8 * 28 = -205', row)).score).toBe(1);
    }
    for (const puzzle of ['19 ? 8 ? = 3', '(19 ? 8) ? 28 = 3', '19 ? 8 = about 11', '1 ? 2 = 3 = 3']) {
      expect(domain('equation_balancer').findFault(example('b', puzzle))).toContain('equation');
    }
  });

  test('with a number that has lost digits are refused: it has to be a text', async () => {
    const row = (target: JsonObject[string]) => example('n', '', { target });
    for (const target of [JSON.parse('12345678901234567890'), JSON.parse('-9007199254740993'), 1e300]) {
      expect(domain('numeric').findFault(row(target))).toContain('write it as a text');
    }
    for (const target of ['12345678901234567890', Number.MAX_SAFE_INTEGER, 1e-20, 0.1]) {
      expect(domain('numeric').findFault(row(target))).toBeNull();
      expect((await scoreOutput(domain('numeric'), String(target), row(target))).score).toBe(1);
    }
  });

  test('of multiple choice need choices that are some', () => {
    for (const choices of [['one'], 'ab', [['a'], ['b']], Array.from({ length: 27 }, (_, n) => `c${n}`)]) {
      expect(domain('mcq').findFault(example('m', '', { target: 'A', choices }))).toContain('choices');
    }
    expect(domain('mcq').findFault(example('m', '', {}))).toContain('target');
    expect(domain('mcq').findFault(example('m', '', { target: 2, choices: ['lead', 'iron'] }))).toContain(
      'domain.options.target_base',
    );
  });
});

describe('options', () => {
  test('say what positions of a multiple choice count from', async () => {
    const row = example('r', '', { target: 1, choices: ['4', '2', '1'] });
    const expected = (one: JsonObject) => builtInDomain('mcq', one, {}).expectedOutput(row);
    const options: JsonObject[] = [{}, { target_base: 0 }, { target_base: 1 }];
    expect(options.map(expected)).toEqual(['C', 'B', 'A']);
    const fromOne = builtInDomain('mcq', { target_base: 1 }, {});
    expect((await scoreOutput(fromOne, 'Answer: A', row)).score).toBe(1);
    expect((await scoreOutput(fromOne, 'Answer: C', row)).score).toBe(0);
    for (const target of [0, 4])
      expect(fromOne.findFault(example('r', '', { ...row.scoring_data, target }))).toContain(
        'none of the choices',
      );
  });

  test('are the mode of crosswords and the base of a multiple choice, and no others', async () => {
    const row = example('r', '', { solution: 'A T\nN O' });
    const output = 'A T\nN O\n\nAcross:\n1. AX';
    expect((await scoreOutput(builtInDomain('crosswords', {}, {}), output, row)).score).toBe(0.75);
    expect((await scoreOutput(builtInDomain('crosswords', { mode: 'lenient' }, {}), output, row)).score).toBe(
      1,
    );
    expect(() => builtInDomain('crosswords', { mode: 'loose' }, {})).toThrow('strict or lenient');
    expect(() => builtInDomain('crosswords', { strict: true }, {})).toThrow('no option strict');
    expect(() => builtInDomain('mcq', { mode: 'strict' }, {})).toThrow('no option mode');
    expect(() => builtInDomain('mcq', { target_base: 2 }, {})).toThrow('target_base must be 0 or 1');
  });
});

describe('a custom domain', () => {
  const row = example('r', 'in', { goal: 'out' });
  const score = (scorer: unknown, output = 'out') =>
    scoreOutput(customDomain({ score: scorer }), output, row);

  test('is a function, exported by name or by default, or an object by default', async () => {
    const scorer = (output: string, { scoring_data }: typeof row) => (output === scoring_data.goal ? 1 : 0);
    for (const loaded of [{ score: scorer }, { default: scorer }, { default: { score: scorer } }]) {
      const custom = customDomain(loaded);
      expect((await scoreOutput(custom, 'out', row)).score).toBe(1);
      expect((await scoreOutput(custom, 'no', row)).score).toBe(0);
      expect(custom.findFault(row)).toBeNull();
      expect(custom.expectedOutput(row)).toContain('"goal": "out"');
      expect(custom.perfect).toBe(1);
      expect('generate' in custom).toBe(false);
    }
  });

  test('may bring everything that a domain has', async () => {
    const custom: Domain = customDomain({
      default: async () => ({ score: 3, message: 'three' }),
      expectedOutput: () => 'this',
      findFault: () => 'a fault',
      generate: () => [row],
      answerFormat: 'a word',
      perfect: null,
    });
    expect(await scoreOutput(custom, '', row)).toEqual({ score: 3, message: 'three' });
    expect([
      custom.expectedOutput(row),
      custom.findFault(row),
      custom.generate?.(1, 1),
      custom.answerFormat,
      custom.perfect,
    ]).toEqual(['this', 'a fault', [row], 'a word', null]);
  });

  test('may expect a number, and find no fault by returning nothing', () => {
    const custom = customDomain({ score: () => 1, expectedOutput: () => 24, findFault: () => undefined });
    expect(custom.findFault(row)).toBeNull();
    expect(custom.expectedOutput(row)).toBe('24');
  });

  test.each([
    ['expectedOutput', undefined],
    ['expectedOutput', null],
    ['expectedOutput', { text: 'out' }],
    ['expectedOutput', Promise.resolve('out')],
    ['findFault', true],
    ['findFault', Promise.resolve(null)],
  ])('whose %s answers %j is refused before anything runs', (name, answer) => {
    const fault = customDomain({ score: () => 1, [name]: () => answer }).findFault(row);
    expect(fault).toContain(`${name} of the custom domain`);
  });

  test.each([
    undefined,
    null,
    {},
    { score: 5 },
    { default: {} },
    { default: 5 },
    { score: () => 1, generate: 1 },
  ])('%j is none', (loaded) => {
    expect(() => customDomain(loaded)).toThrow(TypeError);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'that answers %d has scored 0',
    async (value) => {
      expect(await score(() => value)).toEqual({ score: 0, message: expect.stringContaining(String(value)) });
      expect((await score(async () => ({ score: value, message: 'ok' }))).score).toBe(0);
    },
  );

  test.each([undefined, null, '1', true, {}, { score: '1' }, [1], -1, -1e-300, { score: -1 }])(
    'that answers %j has failed, which is no score',
    async (value) => {
      await expect(score(() => value)).rejects.toThrow(ScoringError);
    },
  );

  test.each([
    [true, 'true'],
    ['0.5', '"0.5"'],
    [undefined, 'nothing'],
    [{ score: null }, 'null'],
    [1n, '1n'],
    [{ score: [1] }, '[1]'],
  ])('that answers no number is told what it answered: %#', async (value, named) => {
    await expect(score(() => value)).rejects.toThrow(
      `the scorer of example "r" answers ${named} as its score, which is no number`,
    );
  });

  test('that answers less than 0 is told what to answer of a loss', async () => {
    await expect(score(() => -0.3)).rejects.toThrow(
      'the scorer of example "r" answers -0.3: a score must not be negative, since a failed run scores 0; of a loss, answer 1 / (1 + loss)',
    );
  });

  test('may have metrics, each a finite number with a name', async () => {
    const metrics = { speed: 2.5, 'share of rows': 0 };
    expect(await score(() => ({ score: 1, message: 'fast', metrics }))).toEqual({
      score: 1,
      message: 'fast',
      metrics,
    });
    for (const [wrong, named] of [
      [{ speed: Number.NaN }, 'the metric "speed" as NaN'],
      [{ speed: '2' }, 'the metric "speed" as "2"'],
      [[1], 'metrics [1], which are no numbers by name'],
      [{ ' ': 1 }, 'names a metric " "'],
      [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`m${index}`, 1])), '51 metrics; 50'],
    ] as const) {
      await expect(score(() => ({ score: 1, metrics: wrong }))).rejects.toThrow(named);
    }
  });

  test('that throws has failed, which is no score, and says on what', async () => {
    const thrown = score(() => {
      throw new Error('no network');
    });
    await expect(thrown).rejects.toThrow('scoring example "r" failed: no network');
    await expect(thrown).rejects.toBeInstanceOf(ScoringError);
    await expect(score(async () => Promise.reject('a string'))).rejects.toThrow('a string');
  });

  test('has scores that are 0 and not -0, and messages of bounded length', async () => {
    expect(Object.is((await score(() => -0)).score, 0)).toBe(true);
    expect((await score(() => ({ score: 1, message: 'x'.repeat(1e6) }))).message).toMatch(
      /^x+\n\[\.\.\. \d+ characters left out \.\.\.\]\nx+$/,
    );
    expect((await score(() => ({ score: 1, message: 'x'.repeat(1e6) }))).message.length).toBeLessThanOrEqual(
      4_000,
    );
    expect((await score(() => ({ score: 1 }))).message).toBe('');
  });
});
