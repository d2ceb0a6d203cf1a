import { ServiceError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test, vi } from 'vitest';
import { takeUpdate } from '../../src/client/control.js';
import { InvalidInputError } from '../../src/config/errors.js';

const refusal = (code: number) =>
  new ServiceError('Workflow Update failed', {
    cause: Object.assign(new Error(`${code}`), { code, details: '', metadata: {} }),
  });

const answering = (...answers: (Error | undefined)[]) => ({
  executeUpdate: vi.fn(async () => {
    const answer = answers.shift();
    if (answer !== undefined) throw answer;
  }),
});

test('an update whose workflow task the server has thrown away is sent again', async () => {
  const handle = answering(refusal(9), refusal(9), undefined);
  await takeUpdate(handle as never, 'setConcurrency', 3);
  expect(handle.executeUpdate.mock.calls).toEqual(
    Array.from({ length: 3 }, () => ['setConcurrency', { args: [3] }]),
  );
});

test('what the workflow says against it is bad input, and any other failure stays what it is', async () => {
  const cause = ApplicationFailure.create({ message: 'there is nothing to resume' });
  const rejected = answering(new WorkflowUpdateFailedError('Workflow Update failed', cause));
  const failure = takeUpdate(rejected as never, 'resume');
  await expect(failure).rejects.toThrow(new InvalidInputError('there is nothing to resume'));
  const refused = answering(refusal(7));
  await expect(takeUpdate(refused as never, 'resume')).rejects.toThrow('Workflow Update failed');
  expect(refused.executeUpdate).toHaveBeenCalledTimes(1);
});
