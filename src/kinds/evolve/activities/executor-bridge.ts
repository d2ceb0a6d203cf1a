import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { refusalOf } from '../../../activities/call-failures.js';
import type { CalledModel, ModelCalls, Span, UnstoredReply } from '../../../activities/model-calls.js';
import { patiently } from '../../../activities/patiently.js';
import type { Spending, SpendingLeft } from '../../../contracts/experiment.js';
import type { CallIdentity, CallRecord, ChatMessage } from '../../../contracts/language-model.js';
import type { StepCost, Unrecorded } from '../../../contracts/step-cost.js';
import type { OnUnreachable } from '../../../language-models/outage.js';
import { cutOffText, emptyReplyText, isCutOff, isMissing } from '../../../replies/reply-faults.js';
import { addUnrecorded, timesRequested } from '../../../runtime/beside.js';
import { cutOffOf } from '../../../runtime/repeats.js';
import { newlyPaid, noStepCost, spendingOf } from '../../../runtime/step-cost.js';
import type { ModelReply, ModelRequest, ProgramResources } from '../../../sandboxes/sandbox.js';
import type { ScaffoldJob } from '../contracts.js';
import type { ExecutorLimits } from '../evolution/executor-limits.js';
import { addCallCost, bookCounted, largerCost } from './execution-notes.js';
import { LostTime } from './lost-time.js';
import type { Losses } from './no-result.js';

/** Errors for a program that has nothing left. */
const SPENT = {
  calls: 'no call is left: this run may make no more calls of the language model',
  tokens: 'no call is left: this run has used up its tokens',
} as const;

/** Error where the experiment has nothing left for another call, so the program gets no result. */
export class NothingLeftError extends Error {
  override readonly name = 'NothingLeftError';
}

/** Request of the program without a reply; times by `performance.now()`. */
interface OpenRequest {
  came: number;
  /** Time when it was last sent to the model; null while it waits for that. */
  sent: number | null;
  /** True if the model failed to answer it at least once. */
  hasFailed: boolean;
}

export interface BridgeOptions {
  job: ScaffoldJob;
  /** Limits of the program itself. */
  limits: ExecutorLimits;
  /** Budget that the experiment had left when the run began. */
  left: SpendingLeft;
  /** Earlier attempts that a crash interrupted. */
  crashes: number;
  /** Cost of all attempts; grows with every request. */
  paid: StepCost;
  /** Stores what unrecorded requests have cost. */
  noteUnrecorded: (unrecorded: Unrecorded) => Promise<void>;
  notify: (message: string) => void;
  /** Listeners for a provider that is unreachable, and for a store that is. */
  onUnreachable: { model: OnUnreachable; store: OnUnreachable };
  /** Cancels the activity. */
  signal: AbortSignal;
}

/**
 * Answers a running program's calls of its model. Each reply is stored before the program gets it, under the prompt and
 * the number of earlier requests with it, so a run that is repeated after a crash is answered from the store whatever
 * the order of its threads. Requests come from the sandbox's own callbacks: nothing here may use an activity's context.
 */
export class ExecutorBridge {
  /** Cost of the replies that the program was given. */
  readonly cost: StepCost = noStepCost();
  private recalled = 0;
  /** True once the program has sent a request: until then nothing kept it waiting. */
  private hasAsked = false;
  private started = 0;
  /** Requests to the model in flight, and replies to such requests. */
  private asking = 0;
  private renewed = 0;
  private readonly asked = new Map<string, number>();
  private readonly lost = new LostTime();
  private readonly unwatch = this.lost.watchEventLoop();
  private readonly open = new Map<Promise<unknown>, OpenRequest>();
  private noting: Promise<void> = Promise.resolve();
  private readonly stopped = new AbortController();
  private readonly unwanted = new AbortController();

  constructor(
    private readonly model: CalledModel,
    private readonly models: ModelCalls,
    private readonly options: BridgeOptions,
  ) {}

  /** Returns what is left. @throws NothingLeftError: the reaction to an empty budget is no result either. */
  resources(): ProgramResources {
    this.noteAsked();
    this.checkExperiment();
    const { limits, left } = this.options;
    // Only this attempt's spending counts: a run that is repeated has to get the same answers.
    const { lm_calls, cost_usd } = this.spending(this.cost);
    const calls = Math.min(
      limits.max_lm_calls - this.started,
      (left.lm_calls ?? Number.POSITIVE_INFINITY) - lm_calls,
    );
    return {
      calls: Math.max(calls, 0),
      usd: left.cost_usd === null ? null : Math.max(left.cost_usd - (cost_usd ?? 0), 0),
    };
  }

  respond = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    this.noteAsked();
    const open: OpenRequest = { came: performance.now(), sent: null, hasFailed: false };
    const answering = this.answer(request, open);
    this.open.set(answering, open);
    const forget = () => void this.open.delete(answering);
    answering.then(forget, forget);
    // The program may end before its request does.
    return Promise.race([answering, rejectionOf(signal)]);
  };

  /**
   * Waits, after the end of the program, for requests in flight: their replies are paid for and kept, and only they
   * distinguish a slow model, whose time is the program's, from an unreachable one.
   * @throws a failure that ends more than this program, if a request met one.
   */
  async ended(): Promise<Losses> {
    const end = performance.now();
    this.unwatch();
    const open = [...this.open.values()];
    const failure = (await this.settled()).find(
      (reason) => reason instanceof ApplicationFailure || reason instanceof NothingLeftError,
    );
    if (failure !== undefined) throw failure;
    return {
      seconds: this.hasAsked ? this.lost.secondsUntil(end) : 0,
      wasWaiting: open.length > 0,
      wasFailed: open.some(({ hasFailed }) => hasFailed),
      recalled: this.recalled,
    };
  }

  /** Waits for the replies in flight, and sends no further request. Returns the errors of those that failed. */
  async settled(): Promise<unknown[]> {
    this.stopped.abort(new Error('the program has ended'));
    const outcomes = await Promise.allSettled(this.open.keys());
    return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  }

  /** Cancels what is still open. */
  close(): void {
    this.unwatch();
    const reason = new Error('the program has ended');
    this.stopped.abort(reason);
    this.unwanted.abort(reason);
  }

  private noteAsked(): void {
    if (!this.hasAsked) this.lost.beginToWait();
    this.hasAsked = true;
  }

  private async answer(request: ModelRequest, open: OpenRequest): Promise<ModelReply> {
    const spent = this.spentByProgram();
    if (spent !== null) return { error: SPENT[spent] };
    this.started += 1;
    let worked: Span | null = null;
    try {
      const { record, ...asked } = await this.replyTo(request, open);
      worked = asked.worked;
      const fault = this.faultOf(record);
      return fault === null ? { text: record.text } : { error: fault };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      // The provider has answered with a refusal.
      if (open.sent !== null) worked = [open.sent, performance.now()];
      return { error: refusal };
    } finally {
      this.lost.add([open.came, performance.now()], worked);
    }
  }

  /** Returns why the program cannot use a reply; null where it can. */
  private faultOf(record: CallRecord): string | null {
    const saysNothing = record.text.trim() === '';
    if (isCutOff(record) && (saysNothing || this.model.lm.on_cut_off === 'error')) {
      return cutOffText(record, 'models.executor');
    }
    return isMissing(record) ? emptyReplyText(record) : null;
  }

  private async replyTo(
    request: ModelRequest,
    open: OpenRequest,
  ): Promise<Pick<UnstoredReply, 'record' | 'worked'>> {
    const { model, options } = this;
    const messages: ChatMessage[] = [
      ...(request.system_prompt === null
        ? []
        : [{ role: 'system' as const, content: request.system_prompt }]),
      { role: 'user', content: request.prompt },
    ];
    const prepared = this.models.prepare(model, this.identityOf(request), { messages });
    const stored = await model.calls.find(prepared.request.call, prepared.key);
    if (stored !== null) {
      this.recalled += 1;
      addCallCost(this.cost, stored.record);
      if (await model.calls.isCounted(stored.record)) bookCounted(this.cost, stored.record);
      return { record: stored.record, worked: null };
    }
    this.checkExperiment();
    const { record: reply, settle, worked } = await this.ask(prepared, open);
    addCallCost(this.cost, reply);
    addCallCost(options.paid, reply);
    await this.bookUnrecorded(timesRequested(cutOffOf(reply).crashes, reply));
    // Repeated until the store accepts the reply, even if the program has ended.
    const { record } = await patiently(() => model.calls.save({ record: reply, answer: null }), {
      log: model.log,
      notify: options.notify,
      onUnreachable: options.onUnreachable.store,
      what: 'store a reply',
      signal: options.signal,
    });
    await settle();
    return { record, worked };
  }

  private async ask(prepared: ReturnType<ModelCalls['prepare']>, open: OpenRequest): Promise<UnstoredReply> {
    const { signal, crashes, onUnreachable } = this.options;
    this.asking += 1;
    try {
      const asked = await this.models.askUntilAnswered(this.model, prepared, {
        // Only requests before the first new reply can have been in flight when the crash came.
        cutOff: { crashes: this.renewed === 0 ? crashes : 0, sent: 0 },
        onUnreachable: onUnreachable.model,
        signals: {
          waiting: AbortSignal.any([signal, this.stopped.signal]),
          sending: AbortSignal.any([signal, this.unwanted.signal]),
        },
        watch: {
          sent: (at) => {
            open.sent = at;
          },
          asksAgain: () => this.checkExperiment(1),
          failed: async (unrecorded, refused) => {
            if (!refused) open.hasFailed = true;
            await this.bookUnrecorded(unrecorded);
          },
        },
      });
      this.renewed += 1;
      return asked;
    } finally {
      this.asking -= 1;
    }
  }

  private async bookUnrecorded(unrecorded: Unrecorded | null): Promise<void> {
    if (unrecorded === null) return;
    const { paid, noteUnrecorded, notify, onUnreachable, signal } = this.options;
    paid.unrecorded = addUnrecorded(paid.unrecorded, unrecorded) ?? unrecorded;
    const waiting = {
      log: this.model.log,
      notify,
      onUnreachable: onUnreachable.store,
      what: 'store what was spent',
      signal,
    };
    // Sequential: the last note includes the others.
    this.noting = this.noting
      .catch(() => undefined)
      .then(() => patiently(() => noteUnrecorded(paid.unrecorded ?? unrecorded), waiting));
    await this.noting;
  }

  private spentByProgram(): keyof typeof SPENT | null {
    const { limits } = this.options;
    if (this.started >= limits.max_lm_calls) return 'calls';
    // Requests that a provider failed to answer are not charged to the program.
    const { tokens } = spendingOf(this.cost);
    return limits.max_tokens !== null && tokens >= limits.max_tokens ? 'tokens' : null;
  }

  /** Adds the calls in flight to a cost. */
  private spending(cost: StepCost): Spending {
    const { lm_calls, ...spent } = spendingOf(cost);
    return { ...spent, lm_calls: lm_calls + this.asking };
  }

  /**
   * Checks the experiment's limits.
   * @param own calls in flight that are the one to be sent.
   * @throws NothingLeftError where the experiment has spent what it may.
   */
  private checkExperiment(own = 0): void {
    const { left, paid } = this.options;
    const all = this.spending(newlyPaid(largerCost(this.cost, paid)));
    const spent = { ...all, lm_calls: all.lm_calls - own };
    for (const figure of ['lm_calls', 'tokens', 'cost_usd'] as const) {
      const limit = left[figure];
      if (limit !== null && (spent[figure] ?? 0) >= limit) throw new NothingLeftError();
    }
  }

  /** Names a call. The order in which threads send requests varies, so it is no part of the name. */
  private identityOf(request: ModelRequest): CallIdentity {
    const { scaffold, iteration, type, example, draft } = this.options.job;
    const prompt = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 12);
    const ordinal = this.asked.get(prompt) ?? 0;
    this.asked.set(prompt, ordinal + 1);
    const what = draft === undefined ? type : `draft-${draft}`;
    const sample_id = `${scaffold}/${iteration}/${what}/${example}/${prompt}`;
    return { sample_id, trial: 0, purpose: 'executor', ordinal };
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
