import { ServiceError, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { ExperimentFailedError, endedOf, follow, resultOf, untilEnded } from '../../src/client/follow.js';
import { InvalidInputError } from '../../src/config/errors.js';
import { FAILURE_TYPES } from '../../src/contracts/names.js';

const ENDED = { artifacts: 'file:///results/it', metrics: { status: 'failed', errors: 3 } };

const failedWith = (type: string, message: string, details: unknown[] = []) =>
  ApplicationFailure.create({ type, message, details });
const inActivity = (cause: Error) =>
  new ActivityFailure('Activity task failed', 'prepareRun', '1', RetryState.NON_RETRYABLE_FAILURE, '', cause);

/** A workflow that has ended with a failure. */
function failed(cause: Error | undefined): WorkflowHandle {
  const error = new WorkflowFailedError('Workflow execution failed', cause, RetryState.NON_RETRYABLE_FAILURE);
  return { result: () => Promise.reject(error) } as unknown as WorkflowHandle;
}

describe('the result of an experiment that failed', () => {
  test.each([
    ['cancelled', new CancelledFailure('Workflow canceled'), 'Workflow canceled'],
    ['terminated', new TerminatedFailure('by an operator'), 'by an operator'],
    ['timed_out', new TimeoutFailure('too late', undefined, 'START_TO_CLOSE' as never), 'too late'],
    ['failed', failedWith('Unforeseen', 'a bug'), 'the run failed: a bug'],
    ['failed', inActivity(failedWith('FatalStorage', 'no such bucket')), 'the run failed: no such bucket'],
    ['failed', undefined, 'the run did not finish: Workflow execution failed'],
  ])('is an error with the status %s', async (status, cause, message) => {
    const error = await resultOf(failed(cause)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ExperimentFailedError);
    expect(error).toMatchObject({ status, message: expect.stringContaining(message), metrics: null });
    expect(() => endedOf(error)).toThrow(error as Error);
  });

  test('that wrote metrics has them and its folder, and they are its result for who shows it all the same', async () => {
    const error = await resultOf(failed(failedWith(FAILURE_TYPES.runFailed, 'no key', [ENDED]))).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ status: 'failed', message: 'the run failed: no key', ...ENDED });
    expect(endedOf(error)).toEqual(ENDED);
  });

  test('whose config was refused is bad input', async () => {
    const refused = failed(inActivity(failedWith(FAILURE_TYPES.invalidInput, 'lm.model: is missing')));
    const error = await resultOf(refused).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ message: 'lm.model: is missing' });
  });
});

const unavailable = () =>
  new ServiceError('no connection', {
    cause: Object.assign(new Error('14'), { code: 14, details: '', metadata: {} }),
  });

/** A workflow whose server answers a `describe` with each of these in turn, and with the last one from then on. */
function answering(...looks: ('RUNNING' | 'COMPLETED' | Error)[]) {
  let look = -1;
  const asked: string[] = [];
  const handle = {
    workflowId: 'it',
    client: { getHandle: () => handle },
    describe: async () => {
      look = Math.min(look + 1, looks.length - 1);
      const found = looks[look] as string | Error;
      if (found instanceof Error) throw found;
      return { status: { name: found } };
    },
    query: async (name: string) => {
      asked.push(name);
      return { look };
    },
    result: async () => ENDED,
  };
  return { handle: handle as unknown as WorkflowHandle, asked };
}

async function gathered<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test('following goes through a server that does not answer, and ends with the experiment', async () => {
  const { handle, asked } = answering('RUNNING', unavailable(), 'RUNNING', 'COMPLETED');
  expect(await gathered(follow(handle, {}))).toEqual([{ look: 0 }, { look: 2 }]);
  expect(asked).toEqual(['progress', 'progress']);
  expect(await untilEnded(handle, {})).toEqual(ENDED);
  expect(asked).toHaveLength(2);
});

test('following ends with the reason of its signal, also while no server answers', async () => {
  const reason = new Error('enough');
  const over = new AbortController();
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const progress of follow(answering('RUNNING').handle, { signal: over.signal })) {
      seen.push(progress);
      over.abort(reason);
    }
  })();
  await expect(following).rejects.toBe(reason);
  expect(seen).toHaveLength(1);
  const silent = answering(unavailable()).handle;
  await expect(untilEnded(silent, { signal: over.signal })).rejects.toBe(reason);
});

test('an error that is none of a server on its way is thrown', async () => {
  const wrong = new Error('of the program');
  await expect(gathered(follow(answering(wrong).handle, {}))).rejects.toBe(wrong);
});
