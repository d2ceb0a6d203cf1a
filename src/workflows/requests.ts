import { setHandler } from '@temporalio/workflow';
import { pauseUpdate, resumeUpdate, setConcurrencyUpdate, stopUpdate } from './messages.js';

/** An experiment that people can steer. */
export interface Steered {
  pause(paused: boolean): void;
  stop(): void;
  /** @returns what it was. */
  setConcurrency(concurrency: number): number;
  /** @throws ApplicationFailure where nothing can be asked any more. */
  assertRunning(): void;
  /** @throws ApplicationFailure where that cannot be asked. */
  assertConcurrency(concurrency: number): void;
}

/** Takes what people ask of an experiment from now on. */
export function takeRequests(control: Steered): void {
  const validator = () => control.assertRunning();
  setHandler(pauseUpdate, () => control.pause(true), { validator });
  setHandler(resumeUpdate, () => control.pause(false), { validator });
  setHandler(stopUpdate, () => control.stop(), { validator });
  setHandler(setConcurrencyUpdate, (concurrency) => control.setConcurrency(concurrency), {
    validator: (concurrency) => control.assertConcurrency(concurrency),
  });
}
