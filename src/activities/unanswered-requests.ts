import type { ApplicationFailure } from '@temporalio/common';
import type { GenerateRequest } from '../contracts/language-model.js';
import type { LanguageModelError } from '../language-models/errors.js';
import { mostUsage, priceOf } from '../language-models/usage.js';
import { costOfUnkept } from '../runtime/step-cost.js';
import type { Attempt } from './attempt.js';
import { workerCrash } from './attempt-journal.js';
import { failureOf, isFinalFailure } from './call-failures.js';
import type { WorkerDependencies } from './dependencies.js';
import type { CalledModel } from './model-calls.js';
import { held } from './patiently.js';
import { pauseAfter } from './pause-after.js';
import { noteUnkept } from './unkept.js';

/** Milliseconds until a call that was forgiven asks for leave again, where it needs that; it waits for its turn then. */
const FORGIVEN_PAUSE = 100;

/** How a line of the log names a call. */
function callNames({ call: { sample_id: sample, trial, purpose, ordinal } }: GenerateRequest) {
  return { sample, trial, purpose, ordinal };
}

/** What becomes of an activity whose request brought no reply: it says why, and what that may have cost. */
export class UnansweredRequests {
  constructor(private readonly dependencies: Pick<WorkerDependencies, 'notify' | 'news'>) {}

  /** Notes what an attempt has spent beside a reply, where it has. */
  async noteUnkept({ store, log }: CalledModel, { activity, unkept }: Attempt): Promise<void> {
    if (unkept === null) return;
    await held(() => noteUnkept(store, activity, unkept), {
      log,
      dependencies: this.dependencies,
      what: 'store what was spent',
    });
  }

  /** Tells of a provider's failure, notes what it may have cost, and says what is to be done about it. */
  async failed(
    model: CalledModel,
    request: GenerateRequest,
    error: LanguageModelError,
    attempt: Attempt,
  ): Promise<ApplicationFailure> {
    const { failures } = attempt.soFar;
    const isFinal = isFinalFailure(error, failures, model.lm);
    this.tell(model, request, error, { failures, isFinal });
    if (attempt.isSingle && !isFinal) {
      return this.endSingle(model, request, error, attempt, pauseAfter(failures, error.retryAfterMs));
    }
    // Nothing that this activity has sent will be answered any more.
    if (isFinal) attempt.concludes(priceOf(model, mostUsage(request)));
    await this.noteUnkept(model, attempt);
    return failureOf(error, { failures, isFinal }, { unkept: attempt.unkept });
  }

  /** The activity ends, and another one asks again after a pause. */
  async endSingle(
    model: CalledModel,
    request: GenerateRequest,
    error: LanguageModelError,
    attempt: Attempt,
    pause_ms = FORGIVEN_PAUSE,
  ): Promise<ApplicationFailure> {
    attempt.concludes(priceOf(model, mostUsage(request)));
    await this.noteUnkept(model, attempt);
    const { soFar, cutOff, unkept } = attempt;
    return failureOf(
      error,
      { failures: soFar.failures, isFinal: false },
      { unkept, again: { ...soFar, ...cutOff, pause_ms } },
    );
  }

  /** The activity has taken worker after worker along, and asks no more. */
  async endCrashed(
    model: CalledModel,
    request: GenerateRequest,
    deadWorkers: number,
    attempt: Attempt,
  ): Promise<ApplicationFailure> {
    attempt.concludes(priceOf(model, mostUsage(request)));
    await this.noteUnkept(model, attempt);
    const failure = workerCrash(deadWorkers, costOfUnkept(attempt.unkept));
    model.log.error({ ...callNames(request), error: failure.message }, 'LM call given up');
    return failure;
  }

  tell(
    model: CalledModel,
    request: GenerateRequest,
    { message: error }: LanguageModelError,
    { failures, isFinal }: { failures: number; isFinal: boolean },
  ): void {
    model.log.warn({ ...callNames(request), failures, error }, 'LM call failed');
    if (!isFinal) this.dependencies.notify(`Asking again: ${error}`);
  }
}
