import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type EnvironmentSource, localEnvironmentCode } from '../../src/activities/environment-code.js';
import type { Task } from '../../src/contracts/environment.js';
import {
  ComparisonUnavailableError,
  GradingLimitError,
  type SymbolicComparer,
} from '../../src/grading/grade.js';
import { EnvironmentPool } from '../../src/workers/environment-pool.js';
import { HOSTILE_THROWS } from '../support/hostile-throws.js';
import { userFile } from '../support/user-file.js';

/** As it was built: a thread loads no TypeScript of the package. */
const BUILT = pathToFileURL(resolve('dist/workers/environment-thread.js'));

/** Does in `step` what the action says. */
const OBEDIENT = `import { setTimeout as sleep } from 'node:timers/promises';
import { Environment } from 'reprise';
export class Obedient extends Environment {
  reset() {
    if (this.task.question === 'stuck') for (;;);
    return { state: { steps: 0 }, obs: this.task.question };
  }
  async step(state: { steps: number }, action: string) {
    const [what, given] = action.split(' ');
    if (what === 'hang') for (;;);
    if (what === 'wait') await new Promise(() => {});
    if (what === 'rest') await sleep(Number(given));
    if (what === 'exit') process.exit(3);
    if (what === 'throw') throw new RangeError('no such level');
    ${HOSTILE_THROWS.map(([, statement], index) => `if (what === 'hostile${index}') { ${statement} }`).join('\n    ')}
    if (what === 'stray') {
      setTimeout(() => { throw new Error('nobody caught this'); });
      await sleep(60_000);
    }
    if (what === 'compute') {
      await sleep(10);
      for (const end = Date.now() + Number(given); Date.now() < end; );
    }
    const equal = what === 'compare' ? await this.services.compareSymbolically(given as string, 'x', 0.5) : true;
    return { state: { steps: state.steps + 1 }, obs: 'more', done: false, info: { equal: String(equal) },
      feedback: { correct: equal === true, target: '', message: action } };
  }
}
`;

let file: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-environments-'));
  file = join(folder, 'obedient.ts');
  await writeFile(file, OBEDIENT);
  return () => rm(folder, { recursive: true, force: true });
});

const taskOf = (question: string): Task => ({ index: 0, id: 'a', question, target: null, metadata: {} });

/** Environments in threads, for one run. */
function played({ timeoutMs = 20_000, ...more }: { timeoutMs?: number; compare?: SymbolicComparer } = {}) {
  const compareSymbolically = more.compare ?? (async () => undefined);
  const pool = new EnvironmentPool({ compareSymbolically, thread: BUILT, grace: 100 });
  onTestFinished(() => pool.close());
  const source: EnvironmentSource = { name: 'Obedient', file, settings: { options: {} }, timeoutMs };
  const code = pool.code();
  const environment = (question = 'go') => code.playable(source, taskOf(question));
  return { pool, source, environment, step: (action: string) => environment().step({ steps: 1 }, action) };
}

test('a thread answers what this process would', async () => {
  const asked: string[][] = [];
  const compare: SymbolicComparer = async (left, right, tolerance) => {
    asked.push([left, right, String(tolerance)]);
    return left === 'equal';
  };
  const { source, environment } = played({ compare });
  const here = localEnvironmentCode(compare).playable(source, taskOf('go'));
  const there = environment();
  expect(await there.begin()).toEqual({ state: { steps: 0 }, obs: 'go' });
  expect(await there.begin()).toEqual(await here.begin());
  for (const action of ['go', 'compare equal', 'compare other', 'throw']) {
    const answer = await there.step({ steps: 1 }, action);
    expect(answer).toEqual(await here.step({ steps: 1 }, action));
  }
  expect(await there.step({ steps: 1 }, 'throw')).toEqual({
    error: { type: 'EnvironmentError', message: 'RangeError: no such level (obedient.ts:14)' },
  });
  expect(asked).toHaveLength(4);
  expect(asked[0]).toEqual(['equal', 'x', '0.5']);
});

test.each(['hang', 'wait'])(
  'a step that does not end (%s) costs its own sample a row, and no other one',
  async (what) => {
    const { step, environment } = played({ timeoutMs: 1500 });
    await Promise.all([step('go'), step('go')]);
    const beside = ['rest 1000', 'rest 1000', 'rest 1000', 'rest 1000'].map(step);
    const error = {
      type: 'EnvironmentTimeout',
      message: 'step took more than 1.5 s (dataset.env_timeout_sec)',
    };
    expect(await step(what)).toEqual({ error });
    for (const answer of await Promise.all(beside)) expect(answer).toMatchObject({ state: { steps: 2 } });
    expect(await environment().begin()).toMatchObject({ obs: 'go' });
  },
);

test('a reset that does not end is told as one', async () => {
  expect(await played({ timeoutMs: 300 }).environment('stuck').begin()).toEqual({
    error: { type: 'EnvironmentTimeout', message: 'reset took more than 0.3 s (dataset.env_timeout_sec)' },
  });
});

test.each([
  ['exit', 'step ended its thread: worker exited with code: 3'],
  ['stray', 'step ended its thread: nobody caught this'],
])('a step that ends its thread (%s) costs its own sample a row, and no other one', async (what, message) => {
  const { step } = played();
  await Promise.all([step('go'), step('go')]);
  const beside = ['rest 300', 'rest 300', 'rest 300', 'rest 300'].map(step);
  expect(await step(what)).toEqual({ error: { type: 'EnvironmentError', message } });
  for (const answer of await Promise.all(beside)) expect(answer).toMatchObject({ state: { steps: 2 } });
});

test('every thread plays with the code that the run began with here, whenever it loads it', async () => {
  const { pool, source, step } = played();
  const own = await userFile('obedient.ts', OBEDIENT);
  const samples = pool.code();
  const stepOfOwn = (action: string, code = samples) =>
    code.playable({ ...source, file: own }, taskOf('go')).step({ steps: 1 }, action);
  // What rests leaves the other thread to the next one.
  const resting = stepOfOwn('rest 3000');
  await stepOfOwn('go');
  await writeFile(own, OBEDIENT.replace('state.steps + 1', 'state.steps + 100'));
  // A thread that came to its end is replaced.
  await stepOfOwn('exit');
  const after = await Promise.all(Array.from({ length: 8 }, () => stepOfOwn('go')));
  for (const answer of [await resting, ...after]) expect(answer).toMatchObject({ state: { steps: 2 } });
  // So does another worker, which was told what that is.
  const elsewhere = pool.code(new Map([[own, OBEDIENT]]));
  expect(await stepOfOwn('go', elsewhere)).toMatchObject({ state: { steps: 2 } });
  // The next run has what is there now.
  expect(await stepOfOwn('go', pool.code())).toMatchObject({ state: { steps: 101 } });
  expect(await stepOfOwn('go')).toMatchObject({ state: { steps: 2 } });
  expect(await step('go')).toMatchObject({ state: { steps: 2 } });
});

test('what computes beside others loses no time to them', async () => {
  const { step } = played({ timeoutMs: 2000 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => step('compute 500')));
  for (const answer of answers) expect(answer).toMatchObject({ state: { steps: 2 } });
});

test('a comparison that could not be made is no row, and one that took too much is', async () => {
  const compare: SymbolicComparer = async (left) => {
    if (left === 'much') throw new GradingLimitError('it took too much');
    throw new ComparisonUnavailableError(new Error('no thread'));
  };
  const { step } = played({ compare });
  expect(await step('compare much')).toEqual({
    error: { type: 'GradingLimit', message: 'it took too much' },
  });
  const failure = await step('compare x').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ComparisonUnavailableError);
  expect((failure as Error).message).toBe('answers cannot be compared: no thread');
});

test('a class that cannot be loaded is named with its field, and a mended file is loaded', async () => {
  const { pool, source } = played();
  const missing = pool.code().playable({ ...source, name: 'Nobody' }, taskOf('go'));
  await expect(missing.begin()).rejects.toMatchObject({
    name: 'InvalidInputError',
    field: 'dataset.env_class',
    message: expect.stringContaining("exports no environment class 'Nobody'"),
  });
  expect(await pool.code().playable(source, taskOf('go')).begin()).toMatchObject({ obs: 'go' });
});

test('a built-in environment stays in this thread', async () => {
  const { pool } = played();
  const source = { name: 'QAEnv', file: undefined, settings: { options: {} }, timeoutMs: 1 };
  const task = { ...taskOf('capital'), target: 'Paris' };
  expect(await pool.code().playable(source, task).step(null, 'Paris')).toMatchObject({ done: true });
});

test('nothing runs after the end', async () => {
  const { pool, step } = played();
  await pool.close();
  await expect(step('go')).rejects.toThrow('the worker ends, and runs no code of environments any more');
});

test('whatever an environment throws is the error of its own sample', async () => {
  const { step } = played();
  for (const [index, [, , said]] of HOSTILE_THROWS.entries()) {
    expect(await step(`hostile${index}`)).toMatchObject({
      error: { type: 'EnvironmentError', message: expect.stringMatching(said) },
    });
    expect(await step('go')).toMatchObject({ done: false });
  }
});
