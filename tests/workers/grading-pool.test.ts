import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { MathQAEnv } from '../../src/environments/math-qa.js';
import { ComparisonUnavailableError, GradingLimitError } from '../../src/grading/grade.js';
import { gradeNumeric } from '../../src/grading/numeric.js';
import { ScoringError, scoreOutput } from '../../src/kinds/evolve/evolution/domains/domain.js';
import { numericDomain } from '../../src/kinds/evolve/evolution/domains/numeric.js';
import { takeStep } from '../../src/kinds/run/take-step.js';
import { GradingPool, type GradingPoolOptions } from '../../src/workers/grading-pool.js';

const OBEDIENT = new URL('./obedient-thread.mjs', import.meta.url);
const BROKEN = new URL('./broken-thread.mjs', import.meta.url);

function pool(options: GradingPoolOptions = {}): GradingPool {
  const made = new GradingPool({ thread: OBEDIENT, ...options });
  onTestFinished(() => made.close());
  return made;
}

test('answers what the thread says', async () => {
  const { compare } = pool();
  expect(await Promise.all([compare('a', 'b'), compare('differ', 'b')])).toEqual([true, false]);
});

test('waiting for a thread takes nothing of a comparison’s time', async () => {
  const { compare } = pool({ timeBox: 1_500 });
  const started = performance.now();
  const made = await Promise.all(Array.from({ length: 14 }, () => compare('rest', '300')));
  expect(made).toEqual(made.map(() => true));
  expect(performance.now() - started).toBeGreaterThan(1_500);
});

test('an answer that came in time counts, however late a busy worker hears of it', async () => {
  const { compare } = pool({ timeBox: 300 });
  await compare('a', 'b');
  const comparison = compare('rest', '100');
  await sleep(50);
  // From here on the event loop comes to its timers first.
  await nextTurn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  expect(await comparison).toBe(true);
});

test.runIf(process.platform === 'linux')('nor does waiting for a processor', async () => {
  const { compare } = pool({ timeBox: 700 });
  expect(await compare('rest', '1500')).toBe(true);
});

test('a thread that is given no processor is an error and no answer', async () => {
  // No thread can have used so much processor time when the clock says that it has had none.
  const { compare } = pool(
    process.platform === 'linux' ? { timeBox: 5_000, patience: 500 } : { timeBox: 50 },
  );
  await expect(compare('rest', '60000')).rejects.toThrow(
    process.platform === 'linux' ? ComparisonUnavailableError : GradingLimitError,
  );
});

test.each(['hang', 'uncounted'])(
  'a comparison that does not end has no verdict, and those behind it are made (%s)',
  async (endless) => {
    const { compare } = pool({ timeBox: 400 });
    const made = await Promise.allSettled([
      compare(endless, ''),
      compare(endless, ''),
      compare('a', 'b'),
      compare('differ', 'd'),
    ]);
    const ended = {
      status: 'rejected',
      reason: new GradingLimitError('comparing the answers took more than 0.4 s of processor time'),
    };
    expect(made).toEqual([
      ended,
      ended,
      { status: 'fulfilled', value: true },
      { status: 'fulfilled', value: false },
    ]);
  },
);

test('nor has one that takes too much memory', async () => {
  const { compare } = pool({ timeBox: 60_000 });
  await expect(compare('fill', '')).rejects.toThrow(
    new GradingLimitError('comparing the answers took more than 512 MB of memory'),
  );
  expect(await compare('a', 'b')).toBe(true);
});

test('a thread that fails is an error and no answer, and the next one is asked', async () => {
  const { compare } = pool();
  await expect(compare('exit', '')).rejects.toThrow(ComparisonUnavailableError);
  await expect(compare('throw', '')).rejects.toThrow('answers cannot be compared: no such module');
  expect(await compare('a', 'b')).toBe(true);
});

test('a thread that does not start is an error and no answer', async () => {
  const { compare } = pool({ thread: BROKEN });
  const made = await Promise.allSettled([compare('a', 'b'), compare('c', 'd'), compare('e', 'f')]);
  for (const one of made) {
    expect(one).toMatchObject({ status: 'rejected', reason: expect.any(ComparisonUnavailableError) });
  }
});

test('nor is one that ends with its worker', async () => {
  const closed = pool();
  const comparison = closed.compare('hang', '');
  comparison.catch(() => undefined);
  await closed.compare('a', 'b');
  await closed.close();
  await expect(comparison).rejects.toThrow(ComparisonUnavailableError);
});

test('what could not be compared has no grade, no score and no step', async () => {
  const compareSymbolically = () => Promise.reject(new ComparisonUnavailableError('no thread'));
  const grade = gradeNumeric('\\sqrt{8}', '2\\sqrt{2}', { symbolic: compareSymbolically });
  await expect(grade).rejects.toThrow(ComparisonUnavailableError);
  const row = { id: 'r', input: '', scoring_data: { target: '2\\sqrt{2}' } };
  const score = scoreOutput(numericDomain({ compareSymbolically }), '\\sqrt{8}', row);
  await expect(score).rejects.not.toThrow(ScoringError);
  await expect(score).rejects.toThrow(ComparisonUnavailableError);
  const task = { index: 0, id: 'r', question: '', target: '2\\sqrt{2}', metadata: {} };
  const environment = new MathQAEnv(task, { options: {} }, { compareSymbolically });
  await expect(takeStep({ make: () => environment }, null, '\\sqrt{8}')).rejects.toThrow(
    ComparisonUnavailableError,
  );
});

test('what took too much is an error row of its own kind, and the worst score of a program', async () => {
  const compareSymbolically = () => Promise.reject(new GradingLimitError('it took too long'));
  const task = { index: 0, id: 'r', question: '', target: '2\\sqrt{2}', metadata: {} };
  const environment = new MathQAEnv(task, { options: {} }, { compareSymbolically });
  expect(await takeStep({ make: () => environment }, null, '\\sqrt{8}')).toEqual({
    error: { type: 'GradingLimit', message: 'it took too long' },
  });
  const row = { id: 'r', input: '', scoring_data: { target: '2\\sqrt{2}' } };
  expect(await scoreOutput(numericDomain({ compareSymbolically }), '\\sqrt{8}', row)).toEqual({
    score: 0,
    message: 'it took too long, which counts as 0.',
  });
});
