import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { evolveDomain } from '../../src/activities/evolve/evolve-domain.js';
import { InfrastructureError } from '../../src/contracts/infrastructure-error.js';
import { ScoringError, scoreOutput } from '../../src/evolution/domains/domain.js';
import { ScorerPool } from '../../src/workers/scorer-pool.js';
import { HOSTILE_THROWS } from '../support/hostile-throws.js';
import { userFile } from '../support/user-file.js';

/** As it was built: a thread loads no TypeScript of the package. */
const BUILT = pathToFileURL(resolve('dist/workers/scorer-thread.js'));

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
  ${HOSTILE_THROWS.map(([, statement], index) => `if (what === 'hostile${index}') { ${statement} }`).join('\n  ')}
  if (what === 'nan') return NaN;
  if (what === 'text') return { score: 'high' as never };
  if (what === 'less') return -1;
  return what === 'bare' ? example.scoring_data.target : { score: 0.5, message: example.id };
}
`;

const example = { id: 'a', input: 'x', scoring_data: { target: 0.25 } };

/** Scores in threads. */
async function scored(timeoutMs = 20_000) {
  const file = await userFile('score.ts', OBEDIENT);
  const pool = new ScorerPool({ timeoutMs, thread: BUILT, grace: 100 });
  onTestFinished(() => pool.close());
  const score = pool.scorer(file);
  const domain = {
    answerFormat: '',
    perfect: 1,
    findFault: () => null,
    expectedOutput: () => '',
    score,
  };
  return { pool, file, score: (output: string) => scoreOutput(domain, output, example) };
}

test('a thread scores as this process would', async () => {
  const { file, score } = await scored();
  const here = await evolveDomain({ domain: { name: 'custom', file, options: {} } }, {});
  for (const output of ['bare', 'sentence', 'nan', 'less', 'text']) {
    const expected = await scoreOutput(here, output, example).catch((error: Error) => error);
    expect(await score(output).catch((error: Error) => error)).toEqual(expected);
  }
  expect(await score('sentence')).toEqual({ score: 0.5, message: 'a' });
  const thrown = await score('throw').catch((error: unknown) => error);
  expect(thrown).toEqual(new ScoringError('scoring example "a" failed: no such word (score.ts:8)'));
});

test('an output that makes its scorer compute without end counts as 0, and no other one suffers', async () => {
  const { score } = await scored(1500);
  await Promise.all([score('bare'), score('bare')]);
  const beside = ['rest 1000', 'rest 1000', 'rest 1000'].map(score);
  expect(await score('hang')).toEqual({
    score: 0,
    message: 'scoring computed for more than 1.5 s, which counts as 0.',
  });
  for (const answer of await Promise.all(beside)) expect(answer).toEqual({ score: 0.5, message: 'a' });
});

test('one that makes it take all memory counts as 0', async () => {
  expect(await (await scored()).score('hoard')).toEqual({
    score: 0,
    message: 'scoring took more memory than a thread has, which counts as 0.',
  });
});

test.each([
  ['wait', 1000, 'the scorer waited for more than 1 s'],
  ['exit', 20_000, 'the scorer ended its thread: worker exited with code: 3'],
])('a scorer that fails by itself (%s) is nobody’s score', async (what, ms, message) => {
  const { score } = await scored(ms);
  expect(await score(what).catch((error: unknown) => error)).toEqual(
    new ScoringError(`scoring example "a" failed: ${message}`),
  );
  expect(await score('sentence')).toEqual({ score: 0.5, message: 'a' });
});

test('a worker that ends has not failed as a scorer', async () => {
  const { pool, score } = await scored();
  await pool.close();
  await expect(score('bare')).rejects.toThrow(InfrastructureError);
});

test('every thread scores with the code that the experiment began with here, whenever it loads it', async () => {
  const { pool, file, score } = await scored();
  // What rests leaves the other thread to the next one.
  const resting = score('rest 3000');
  await score('sentence');
  expect(await score('bare')).toEqual({ score: 0.25, message: '' });
  await writeFile(file, "export const score = () => ({ score: 1, message: 'edited' });\n");
  // A thread that came to its end is replaced.
  await score('exit').catch(() => undefined);
  const after = await Promise.all(Array.from({ length: 8 }, () => score('sentence')));
  for (const answer of [await resting, ...after]) expect(answer).toEqual({ score: 0.5, message: 'a' });
  // So does another worker, which was told what that is.
  expect(await pool.scorer(file, new Map([[file, OBEDIENT]]))('sentence', example)).toEqual({
    score: 0.5,
    message: 'a',
  });
  // The next experiment has what is there now.
  expect(await pool.scorer(file)('sentence', example)).toEqual({ score: 1, message: 'edited' });
  expect(await score('sentence')).toEqual({ score: 0.5, message: 'a' });
});

test('whatever a scorer throws, the example is named and the next one is scored', async () => {
  const { score } = await scored();
  for (const [index, [, , said]] of HOSTILE_THROWS.entries()) {
    const error = await score(`hostile${index}`).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(ScoringError);
    expect((error as Error).message).toMatch(said);
    expect((error as Error).message).toContain('scoring example "a" failed');
    expect(await score('bare')).toMatchObject({ score: 0.25 });
  }
});
