import type { ApplicationFailure } from '@temporalio/common';
import type { GenerateRequest } from '../contracts/language-model.js';
import type { LanguageModelError } from '../language-models/errors.js';
import { mostUsage, priceOf } from '../language-models/usage.js';
import { costOfUnrecorded } from '../runtime/step-cost.js';
import type { Attempt } from './attempt.js';
import { workerCrash } from './attempt-journal.js';
import { failureOf, isFinalFailure } from './call-failures.js';
import type { WorkerDependencies } from './dependencies.js';
import type { CalledModel } from './model-calls.js';
import { held } from './patiently.js';
import { pauseAfter } from './pause-after.js';
import { noteUnrecorded } from './unrecorded.js';

/** Milliseconds until a forgiven call requests its next grant, if it needs one; it waits for its turn then. */
const FORGIVEN_PAUSE = 100;

/** Names a call in a log line. */
function callNames({ call: { sample_id: sample, trial, purpose, ordinal } }: GenerateRequest) {
  return { sample, trial, purpose, ordinal };
}

/** Ends activities whose request brought no reply: with the reason and its possible cost. */
export class UnansweredRequests {
  constructor(private readonly dependencies: Pick<WorkerDependencies, 'notify' | 'notices'>) {}

  /** Stores the unrecorded cost of an attempt, if there is any. */
  async noteUnrecorded({ store, log }: CalledModel, { activity, unrecorded }: Attempt): Promise<void> {
    if (unrecorded === null) return;
    await held(() => noteUnrecorded(store, activity, unrecorded), {
      log,
      dependencies: this.dependencies,
      what: 'store what was spent',
    });
  }

  /** Reports a provider's failure, notes its possible cost, and returns the failure for the retry policy. */
  async failed(
    model: CalledModel,
    request: GenerateRequest,
    error: LanguageModelError,
    attempt: Attempt,
  ): Promise<ApplicationFailure> {
    const { failures } = attempt.soFar;
    const isFinal = isFinalFailure(error, failures, model.lm);
    this.report(model, request, error, { failures, isFinal });
    if (attempt.isSingle && !isFinal) {
      return this.endSingle(model, request, error, attempt, pauseAfter(failures, error.retryAfterMs));
    }
    // No request of this activity will be answered any more.
    if (isFinal) attempt.concludes(priceOf(model, mostUsage(request)));
    await this.noteUnrecorded(model, attempt);
    return failureOf(error, { failures, isFinal }, { unrecorded: attempt.unrecorded });
  }

  /** Ends the activity, so that another one repeats the request after a pause. */
  async endSingle(
    model: CalledModel,
    request: GenerateRequest,
    error: LanguageModelError,
    attempt: Attempt,
    pause_ms = FORGIVEN_PAUSE,
  ): Promise<ApplicationFailure> {
    attempt.concludes(priceOf(model, mostUsage(request)));
    await this.noteUnrecorded(model, attempt);
    const { soFar, cutOff, unrecorded } = attempt;
    return failureOf(
      error,
      { failures: soFar.failures, isFinal: false },
      { unrecorded, again: { ...soFar, ...cutOff, pause_ms } },
    );
  }

  /** Ends an activity that crashed several workers; it sends no more requests. */
  async endCrashed(
    model: CalledModel,
    request: GenerateRequest,
    deadWorkers: number,
    attempt: Attempt,
  ): Promise<ApplicationFailure> {
    attempt.concludes(priceOf(model, mostUsage(request)));
    await this.noteUnrecorded(model, attempt);
    const failure = workerCrash(deadWorkers, costOfUnrecorded(attempt.unrecorded));
    model.log.error({ ...callNames(request), error: failure.message }, 'LM call given up');
    return failure;
  }

  report(
    model: CalledModel,
    request: GenerateRequest,
    { message: error }: LanguageModelError,
    { failures, isFinal }: { failures: number; isFinal: boolean },
  ): void {
    model.log.warn({ ...callNames(request), failures, error }, 'LM call failed');
    if (!isFinal) this.dependencies.notify(`Asking again: ${error}`);
  }
}
