import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { InvalidInputError } from '../../../src/config/errors.js';
import type { Task } from '../../../src/contracts/environment.js';
import {
  ComparisonUnavailableError,
  GradingLimitError,
  type SymbolicComparer,
} from '../../../src/grading/grade.js';
import { type EnvironmentSource, environmentCode } from '../../../src/kinds/run/environment-code.js';
import { codeOf, type UserCode } from '../../../src/user-code/code.js';
import { collect } from '../../activities/support.js';
import { builtPool } from '../../support/built-code.js';
import { userFile } from '../../support/user-file.js';

/** Does in `step` what the action says, and with `validate` what the sample's id says. */
const OBEDIENT = `import { setTimeout as sleep } from 'node:timers/promises';
import { Environment } from 'reprise';
export class Obedient extends Environment {
  validate() {
    if (this.task.id === 'unfit') throw new Error('no such level');
    if (this.task.id === 'endless') for (;;);
  }
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
    if (what === 'hoard') for (const hoard = [];;) hoard.push(new Array(1e6).fill(hoard.length + 0.5));
    if (what === 'throw') throw new RangeError('no such level');
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

const taskOf = (question: string, id = 'a'): Task => ({ index: 0, id, question, target: null, metadata: {} });

/** Environments of a user's file in threads. */
async function played({
  timeoutMs = 20_000,
  ...more
}: {
  timeoutMs?: number;
  compare?: SymbolicComparer;
} = {}) {
  const compare = more.compare ?? (async () => undefined);
  const file = await userFile('obedient.ts', OBEDIENT);
  const pool = builtPool();
  const source: EnvironmentSource = { name: 'Obedient', file, settings: { options: {} }, timeoutMs };
  const code = (begunWith?: UserCode) => environmentCode({ pool, compare }, begunWith);
  const environment = (question = 'go', of = code()) => of.playable(source, taskOf(question));
  const step = (action: string, of = code()) => environment('go', of).step({ steps: 1 }, action);
  return { file, source, code, environment, step };
}

test('a thread answers what this process would', async () => {
  const asked: string[][] = [];
  const compare: SymbolicComparer = async (left, right, tolerance) => {
    asked.push([left, right, String(tolerance)]);
    if (left === 'much') throw new GradingLimitError('it took too much');
    return left === 'equal';
  };
  const { source, environment } = await played({ compare });
  const here = environmentCode({ pool: null, compare }).playable(source, taskOf('go'));
  const there = environment();
  expect(await there.begin()).toEqual({ state: { steps: 0 }, obs: 'go' });
  expect(await there.begin()).toEqual(await here.begin());
  for (const action of ['go', 'compare equal', 'compare other', 'compare much', 'throw']) {
    expect(await there.step({ steps: 1 }, action)).toEqual(await here.step({ steps: 1 }, action));
  }
  expect(await there.step({ steps: 1 }, 'throw')).toEqual({
    error: { type: 'EnvironmentError', message: 'RangeError: no such level (obedient.ts:19)' },
  });
  expect(asked[0]).toEqual(['equal', 'x', '0.5']);
});

const late = (what: string, seconds: number) => ({
  type: 'EnvironmentTimeout',
  message: `${what} took more than ${seconds} s (dataset.env_timeout_sec)`,
});

test.each([
  ['hang', 3000, late('step', 3)],
  ['wait', 3000, late('step', 3)],
  [
    'exit',
    20_000,
    { type: 'EnvironmentError', message: 'step ended its thread: worker exited with code: 3' },
  ],
  ['hoard', 60_000, { type: 'EnvironmentError', message: expect.stringContaining('memory limit') }],
])(
  'a step that comes to no end (%s) costs its own sample a row, and no other one',
  async (what, timeoutMs, error) => {
    const { step, environment } = await played({ timeoutMs });
    await Promise.all([step('go'), step('go')]);
    const beside = ['rest 300', 'rest 300', 'rest 300', 'rest 300'].map((action) => step(action));
    expect(await step(what)).toEqual({ error });
    for (const answer of await Promise.all(beside)) expect(answer).toMatchObject({ state: { steps: 2 } });
    expect(await environment().begin()).toMatchObject({ obs: 'go' });
  },
);

test('a reset that does not end is told as one', async () => {
  const { environment } = await played({ timeoutMs: 300 });
  expect(await environment('stuck').begin()).toEqual({ error: late('reset', 0.3) });
});

test('what computes beside others loses no time to them', async () => {
  const { step } = await played({ timeoutMs: 4000 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => step('compute 500')));
  for (const answer of answers) expect(answer).toMatchObject({ state: { steps: 2 } });
});

test('every thread plays with the code that the run began with, whenever it loads it', async () => {
  const { file, code, step } = await played();
  const run = code();
  await step('go', run);
  await writeFile(file, OBEDIENT.replace('state.steps + 1', 'state.steps + 100'));
  // A thread that came to its end is replaced.
  await step('exit', run);
  const after = Array.from({ length: 8 }, () => step('go', run));
  // So does another worker, which was told what that is.
  after.push(step('go', code(codeOf(new Map([[file, OBEDIENT]])))));
  for (const answer of await Promise.all(after)) expect(answer).toMatchObject({ state: { steps: 2 } });
  // The next run has what is there now.
  expect(await step('go', code())).toMatchObject({ state: { steps: 101 } });
  expect(await step('go', run)).toMatchObject({ state: { steps: 2 } });
});

test('a comparison that could not be made is no row', async () => {
  const { step } = await played({
    compare: () => Promise.reject(new ComparisonUnavailableError(new Error('no thread'))),
  });
  await expect(step('compare x')).rejects.toEqual(new ComparisonUnavailableError(new Error('no thread')));
});

test('a class that is not there is named with its field, and a built-in one stays in this thread', async () => {
  const { code, source } = await played();
  await expect(
    code()
      .playable({ ...source, name: 'Nobody' }, taskOf('go'))
      .begin(),
  ).rejects.toMatchObject({
    name: 'InvalidInputError',
    field: 'dataset.env_class',
    message: expect.stringContaining("exports no environment class 'Nobody'"),
  });
  const builtIn = { name: 'QAEnv', file: undefined, settings: { options: {} }, timeoutMs: 1 };
  const task = { ...taskOf('capital'), target: 'Paris' };
  expect(await code().playable(builtIn, task).step(null, 'Paris')).toMatchObject({ done: true });
});

async function* tasks(ids: readonly string[]): AsyncGenerator<Task> {
  for (const id of ids) yield taskOf('go', id);
}

const ids = Array.from({ length: 1203 }, (_, index) => `s${index}`);

test('tasks that their environment accepts come through, in their order', async () => {
  const { code, source } = await played();
  expect((await collect(code().checked(source, tasks(ids)))).map(({ id }) => id)).toEqual(ids);
});

test.each([
  ['is unfit', '', [...ids.slice(0, 700), 'unfit'], 20_000, 'no such level (sample unfit)'],
  [
    'is validated without end',
    '',
    ['a', 'endless', 'b'],
    2000,
    'FILE did not make and validate the environments of samples a to b within 2 s (dataset.env_timeout_sec)',
  ],
  [
    'computes without end when it is loaded',
    'for (;;);',
    [],
    1000,
    'FILE was not loaded within 1 s (dataset.env_timeout_sec)',
  ],
  [
    'waits for what never comes when it is loaded',
    'await new Promise(() => {});',
    [],
    1000,
    'FILE was not loaded within 1 s (dataset.env_timeout_sec)',
  ],
  [
    'ends its process when it is loaded',
    'process.exit(3);',
    [],
    20_000,
    'FILE ended the thread that it was tried in: worker exited with code: 3',
  ],
  [
    'throws when it is loaded',
    "throw new Error('no licence');",
    [],
    20_000,
    'FILE cannot be loaded: no licence (obedient.ts)',
  ],
])('what %s is refused before anything is asked', async (_what, line, ids, timeoutMs, message) => {
  const { code, source, file } = await played({ timeoutMs });
  await writeFile(file, `${line} ${OBEDIENT}`);
  const failure = await collect(code().checked(source, tasks(ids))).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidInputError);
  expect((failure as Error).message.replace(/:\d+\)/, ')')).toBe(
    message.replace('FILE', `dataset.env_file: ${file}`),
  );
});
