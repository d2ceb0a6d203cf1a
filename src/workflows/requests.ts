import type { UnreachableNotice } from '../contracts/experiment.js';
import { isUnreachableNotice } from '../contracts/incoming.js';
import { UPDATES } from '../contracts/names.js';
import { describeError } from './failures.js';
import {
  pauseSignal,
  pauseUpdate,
  resumeSignal,
  resumeUpdate,
  setConcurrencySignal,
  setConcurrencyUpdate,
  stopSignal,
  stopUpdate,
  unreachableSignal,
} from './messages.js';
import { receive } from './receive.js';
import { log, setHandler } from './sdk.js';

/** Experiment that people can control. */
export interface Steered {
  pause(paused: boolean): void;
  stop(): void;
  /** @returns the previous value. */
  setConcurrency(concurrency: number): number;
  /** Notes that something outside is unreachable, or reachable again. */
  onUnreachable(notice: UnreachableNotice): void;
  /** Ends the experiment because of an internal error. */
  fault(error: unknown): void;
  /** @throws ApplicationFailure if the experiment takes no more requests. */
  assertRunning(): void;
  /** @throws ApplicationFailure if this concurrency cannot be set. */
  assertConcurrency(concurrency: number): void;
}

/** Handles people's requests to an experiment and workers' notices from now on. */
export function takeRequests(control: Steered): void {
  const validator = () => control.assertRunning();
  setHandler(pauseUpdate, () => control.pause(true), { validator });
  setHandler(resumeUpdate, () => control.pause(false), { validator });
  setHandler(stopUpdate, () => control.stop(), { validator });
  setHandler(setConcurrencyUpdate, (concurrency) => control.setConcurrency(concurrency), {
    validator: (concurrency) => control.assertConcurrency(concurrency),
  });
  receive(unreachableSignal, isUnreachableNotice, (notice) => control.onUnreachable(notice), control);
  asSignals(control);
}

/**
 * Handles the same requests as signals. Their sender gets no response, so an invalid one is dropped with a log line.
 */
function asSignals(control: Steered): void {
  const take = (name: string, assert: () => void, act: () => void) => {
    try {
      assert();
    } catch (error) {
      log.warn(`a signal '${name}' was dropped: ${describeError(error).message}`);
      return;
    }
    act();
  };
  const going = () => control.assertRunning();
  setHandler(pauseSignal, () => take(UPDATES.pause, going, () => control.pause(true)));
  setHandler(resumeSignal, () => take(UPDATES.resume, going, () => control.pause(false)));
  setHandler(stopSignal, () => take(UPDATES.stop, going, () => control.stop()));
  setHandler(setConcurrencySignal, (lanes) =>
    take(
      UPDATES.setConcurrency,
      () => control.assertConcurrency(lanes),
      () => control.setConcurrency(lanes),
    ),
  );
}
