import { setHandler } from '@temporalio/workflow';
import type { AwayNotice } from '../contracts/run.js';
import { awaySignal, pauseUpdate, resumeUpdate, setConcurrencyUpdate, stopUpdate } from './messages.js';

/** An experiment that people can steer. */
export interface Steered {
  pause(paused: boolean): void;
  stop(): void;
  /** @returns what it was. */
  setConcurrency(concurrency: number): number;
  /** Something outside of it is away, or there again. */
  hearAway(notice: AwayNotice): void;
  /** @throws ApplicationFailure where nothing can be asked any more. */
  assertRunning(): void;
  /** @throws ApplicationFailure where that cannot be asked. */
  assertConcurrency(concurrency: number): void;
}

/** Takes what people ask of an experiment from now on, and what workers tell it. */
export function takeRequests(control: Steered): void {
  const validator = () => control.assertRunning();
  setHandler(pauseUpdate, () => control.pause(true), { validator });
  setHandler(resumeUpdate, () => control.pause(false), { validator });
  setHandler(stopUpdate, () => control.stop(), { validator });
  setHandler(setConcurrencyUpdate, (concurrency) => control.setConcurrency(concurrency), {
    validator: (concurrency) => control.assertConcurrency(concurrency),
  });
  setHandler(awaySignal, (notice) => {
    if (isNotice(notice)) control.hearAway(notice);
  });
}

/** Anybody can send a signal. */
function isNotice(notice: unknown): notice is AwayNotice {
  const { what, message } = (notice ?? {}) as Partial<AwayNotice>;
  return typeof what === 'string' && (message === null || typeof message === 'string');
}
