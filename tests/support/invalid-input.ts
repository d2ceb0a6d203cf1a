import { expect } from 'vitest';

/** What `temporal workflow result --output json` says of a workflow that failed. */
interface FailedWorkflow {
  status: string;
  closeEvent: {
    workflowExecutionFailedEventAttributes: {
      failure: { message: string; applicationFailureInfo: { type: string } };
    };
  };
}

/** A workflow failed for good, because of its input. */
export function expectInvalidInput({ status, closeEvent }: FailedWorkflow, message: RegExp): void {
  expect(status).toBe('FAILED');
  const { failure } = closeEvent.workflowExecutionFailedEventAttributes;
  expect(failure.message).toMatch(message);
  expect(failure.applicationFailureInfo.type).toBe('InvalidInput');
}
