import { writeFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { InvalidInputError } from '../../../src/config/errors.js';
import { InfrastructureError } from '../../../src/contracts/infrastructure-error.js';
import { ScoringError, scoreOutput } from '../../../src/kinds/evolve/evolution/domains/domain.js';
import { ownDomain, ownDomainIn } from '../../../src/kinds/evolve/own-domain.js';
import { codeOf } from '../../../src/user-code/code.js';
import { builtPool, codeIn, newPool } from '../../support/built-code.js';
import { userFile } from '../../support/user-file.js';

/** Does what the output says. */
const OBEDIENT = `import { setTimeout as sleep } from 'node:timers/promises';
export async function score(output: string, example: { id: string; scoring_data: { target: number } }) {
  const [what, given] = output.split(' ');
  if (what === 'hang') for (;;);
  if (what === 'wait') await new Promise(() => {});
  if (what === 'rest') await sleep(Number(given));
  if (what === 'exit') process.exit(3);
  if (what === 'throw') throw new RangeError('no such word');
  if (what === 'hoard') for (const hoard = [];;) hoard.push(new Array(1e6).fill(hoard.length + 0.5));
  if (what === 'nan') return NaN;
  if (what === 'text') return { score: 'high' as never };
  if (what === 'less') return -1;
  return what === 'bare' ? example.scoring_data.target : { score: 0.5, message: example.id };
}
`;

const example = { id: 'a', input: 'x', scoring_data: { target: 0.25 } };

/** Scores in threads. */
async function scored(scoringMs = 20_000, pool = builtPool()) {
  const file = await userFile('score.ts', OBEDIENT);
  const domainOf = (texts?: ReadonlyMap<string, string>) =>
    ownDomainIn(codeIn(pool), file, texts && codeOf(texts), { scoringMs });
  const domain = await domainOf();
  const score = (output: string, of = domain) => scoreOutput(of, output, example);
  return { file, domainOf, score };
}

test('a thread scores as this process would', async () => {
  const { file, score } = await scored();
  const here = await ownDomain(file);
  for (const output of ['bare', 'sentence', 'nan', 'less', 'text', 'throw']) {
    const expected = await scoreOutput(here, output, example).catch(({ name }: Error) => name);
    expect(await score(output).catch(({ name }: Error) => name)).toEqual(expected);
  }
  await expect(score('throw')).rejects.toEqual(
    new ScoringError('scoring example "a" failed: no such word (score.ts:8)'),
  );
});

test.each([
  ['hang', 1500, 'scoring computed for more than 1.5 s, which counts as 0.'],
  ['hoard', 60_000, 'scoring took more memory than a thread has, which counts as 0.'],
])(
  'an output that its scorer cannot end with (%s) counts as 0, and no other one suffers',
  async (what, ms, message) => {
    const { score } = await scored(ms);
    await Promise.all([score('bare'), score('bare')]);
    const beside = ['rest 300', 'rest 300', 'rest 300'].map((output) => score(output));
    expect(await score(what)).toEqual({ score: 0, message });
    for (const answer of await Promise.all(beside)) expect(answer).toEqual({ score: 0.5, message: 'a' });
  },
);

test.each([
  ['wait', 1000, 'the scorer waited for more than 1 s'],
  ['exit', 20_000, 'the scorer ended its thread: worker exited with code: 3'],
])('a scorer that fails by itself (%s) is nobody’s score', async (what, ms, message) => {
  const { score } = await scored(ms);
  await expect(score(what)).rejects.toEqual(new ScoringError(`scoring example "a" failed: ${message}`));
  expect(await score('sentence')).toEqual({ score: 0.5, message: 'a' });
});

test('a worker that ends has not failed as a scorer', async () => {
  const pool = newPool();
  const { score } = await scored(20_000, pool);
  await pool.close();
  await expect(score('bare')).rejects.toThrow(InfrastructureError);
});

test('every thread scores with the code that the experiment began with, whenever it loads it', async () => {
  const { file, domainOf, score } = await scored();
  expect(await score('bare')).toEqual({ score: 0.25, message: '' });
  await writeFile(file, "export const score = () => ({ score: 1, message: 'edited' });\n");
  // A thread that came to its end is replaced.
  await score('exit').catch(() => undefined);
  const after = Array.from({ length: 8 }, () => score('sentence'));
  // So does another worker, which was told what that is.
  after.push(score('sentence', await domainOf(new Map([[file, OBEDIENT]]))));
  for (const answer of await Promise.all(after)) expect(answer).toEqual({ score: 0.5, message: 'a' });
  // The next experiment has what is there now.
  expect(await score('sentence', await domainOf())).toEqual({ score: 1, message: 'edited' });
  expect(await score('sentence')).toEqual({ score: 0.5, message: 'a' });
});

test('a file is tried once for each version of it, and again where it could not be loaded', async () => {
  const file = await userFile('own.ts', 'export const score = () => 1;\n');
  const pool = newPool();
  const run = vi.spyOn(pool, 'run');
  const made = () => ownDomainIn(codeIn(pool), file).catch(() => undefined);
  for (const [text, times] of [
    ['export const score = () => 1;\n', 1],
    ['export const score = () => 2;\n', 2],
    ['throw 1;\n', 4],
  ] as const) {
    await writeFile(file, text);
    for (const _ of [1, 2]) await made();
    expect(run).toHaveBeenCalledTimes(times);
  }
});

test.each([
  ['computes without end', 'for (;;);', 1000, 'FILE was not loaded within 1 s'],
  [
    'ends its process',
    'process.exit(3);',
    20_000,
    'FILE ended the thread that it was tried in: worker exited with code: 3',
  ],
  ['throws', "throw new Error('no licence');", 20_000, 'FILE cannot be loaded: no licence (own.ts:1)'],
  [
    'scores nothing',
    '',
    20_000,
    'FILE: the file of a custom domain has to export a function score(output, example)',
  ],
])('a file that %s is refused', async (_what, line, loadingMs, message) => {
  const file = await userFile('own.ts', `${line}\nexport const nothing = 1;\n`);
  await expect(ownDomainIn(codeIn(builtPool()), file, undefined, { loadingMs })).rejects.toEqual(
    new InvalidInputError(message.replace('FILE', `domain.file: ${file}`), 'domain.file'),
  );
});
