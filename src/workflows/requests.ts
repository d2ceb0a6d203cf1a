import type { AwayNotice } from '../contracts/experiment.js';
import { isAwayNotice } from '../contracts/incoming.js';
import { UPDATES } from '../contracts/names.js';
import { describeError } from './failures.js';
import {
  awaySignal,
  pauseSignal,
  pauseUpdate,
  resumeSignal,
  resumeUpdate,
  setConcurrencySignal,
  setConcurrencyUpdate,
  stopSignal,
  stopUpdate,
} from './messages.js';
import { receive } from './receive.js';
import { log, setHandler } from './sdk.js';

/** An experiment that people can steer. */
export interface Steered {
  pause(paused: boolean): void;
  stop(): void;
  /** @returns what it was. */
  setConcurrency(concurrency: number): number;
  /** Something outside of it is away, or there again. */
  hearAway(notice: AwayNotice): void;
  /** Something of our own is wrong: the experiment ends with it. */
  fault(error: unknown): void;
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
  receive(awaySignal, isAwayNotice, (notice) => control.hearAway(notice), control);
  asSignals(control);
}

/** The same, sent as signals: nobody hears whether it could be done, so what cannot be is dropped, and the log says so. */
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
