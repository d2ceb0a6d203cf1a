import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { refusalOf } from '../../../activities/call-failures.js';
import type { Asked, CalledModel, ModelCalls, Span } from '../../../activities/model-calls.js';
import { patiently } from '../../../activities/patiently.js';
import type { Spending, SpendingLeft } from '../../../contracts/experiment.js';
import type { CallIdentity, CallRecord, ChatMessage } from '../../../contracts/language-model.js';
import type { StepCost, Unkept } from '../../../contracts/step-cost.js';
import type { HearAway } from '../../../language-models/outage.js';
import { cutOffText, emptyReplyText, isCutOff, isMissing } from '../../../replies/reply-faults.js';
import { addUnkept, timesRequested } from '../../../runtime/beside.js';
import { cutOffOf } from '../../../runtime/repeats.js';
import { newlyPaid, noStepCost, spendingOf } from '../../../runtime/step-cost.js';
import type { ModelReply, ModelRequest, ProgramResources } from '../../../sandboxes/sandbox.js';
import type { ScaffoldJob } from '../contracts.js';
import type { ExecutorLimits } from '../evolution/executor-limits.js';
import { bookCall, bookCounted, largerCost } from './execution-notes.js';
import { LostTime } from './lost-time.js';
import type { Losses } from './no-result.js';

/** The reasons that a program is told when nothing is left to it. */
const SPENT = {
  calls: 'no call is left: this run may make no more calls of the language model',
  tokens: 'no call is left: this run has used up its tokens',
} as const;

/** The experiment has nothing left for another call, so the program comes to no result. */
export class NothingLeftError extends Error {
  override readonly name = 'NothingLeftError';
}

/** A request of the program that has no reply yet; times by `performance.now()`. */
interface OpenRequest {
  came: number;
  /** When it was last sent to the model; null while it waits for that. */
  sent: number | null;
  /** The model failed to answer it, at least once. */
  hasFailed: boolean;
}

export interface BridgeOptions {
  job: ScaffoldJob;
  /** The program's own. */
  limits: ExecutorLimits;
  /** What the experiment had left when the run began. */
  left: SpendingLeft;
  /** Earlier attempts that a crash cut off. */
  crashes: number;
  /** What all attempts have paid; grows with every request. */
  paid: StepCost;
  /** Keeps what was spent on requests whose reply is not kept. */
  noteUnkept: (unkept: Unkept) => Promise<void>;
  notify: (message: string) => void;
  /** Hear of a provider that answers nobody, and of a store that takes nothing. */
  hear: { model: HearAway; store: HearAway };
  /** Of the activity. */
  signal: AbortSignal;
}

/**
 * Answers a running program's calls of its model. Each reply is stored before the program gets it, under the prompt and
 * how often it was asked before, so a run that is made again after a crash is answered from the store whatever order its
 * threads ask in. Requests come from the sandbox's own callbacks: nothing here may look for an activity's context.
 */
export class ExecutorBridge {
  /** Of the replies that the program was given. */
  readonly cost: StepCost = noStepCost();
  private recalled = 0;
  /** Whether the program has asked for anything: until then nothing kept it waiting. */
  private hasAsked = false;
  private started = 0;
  /** Requests to the model that are under way, and replies that have come of such. */
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

  /** @throws NothingLeftError: what a program makes of an empty budget is no result either. */
  resources(): ProgramResources {
    this.noteAsked();
    this.checkExperiment();
    const { limits, left } = this.options;
    // By what this attempt has spent: a run that is made again is to be told the same.
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
   * The program has ended. Requests that the model has are let come to their end: their replies are paid for and kept,
   * and only that tells a slow model, whose time is the program's, from one that is away.
   * @throws what ends more than this program, where one of them met that.
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

  /** Waits for the replies that are under way, and sends no request any more. Answers with what went wrong with some. */
  async settled(): Promise<unknown[]> {
    this.stopped.abort(new Error('the program has ended'));
    const outcomes = await Promise.allSettled(this.open.keys());
    return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  }

  /** Nobody wants what is still open. */
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
      // The provider has answered.
      if (open.sent !== null) worked = [open.sent, performance.now()];
      return { error: refusal };
    } finally {
      this.lost.add([open.came, performance.now()], worked);
    }
  }

  /** Why a reply is none for the program; null where it is one. */
  private faultOf(record: CallRecord): string | null {
    const saysNothing = record.text.trim() === '';
    if (isCutOff(record) && (saysNothing || this.model.lm.on_cut_off === 'error')) {
      return cutOffText(record, 'executor.lm');
    }
    return isMissing(record) ? emptyReplyText(record) : null;
  }

  private async replyTo(request: ModelRequest, open: OpenRequest): Promise<Pick<Asked, 'record' | 'worked'>> {
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
      bookCall(this.cost, stored.record);
      if (await model.calls.isCounted(stored.record)) bookCounted(this.cost, stored.record);
      return { record: stored.record, worked: null };
    }
    this.checkExperiment();
    const { record: reply, settle, worked } = await this.ask(prepared, open);
    bookCall(this.cost, reply);
    bookCall(options.paid, reply);
    await this.bookUnkept(timesRequested(cutOffOf(reply).crashes, reply));
    // It is held until the store takes it, also where the program has ended meanwhile.
    const { record } = await patiently(() => model.calls.save({ record: reply, answer: null }), {
      log: model.log,
      notify: options.notify,
      hear: options.hear.store,
      what: 'store a reply',
      signal: options.signal,
    });
    await settle();
    return { record, worked };
  }

  private async ask(prepared: ReturnType<ModelCalls['prepare']>, open: OpenRequest): Promise<Asked> {
    const { signal, crashes, hear } = this.options;
    this.asking += 1;
    try {
      const asked = await this.models.askUntilAnswered(this.model, prepared, {
        // Only what waited for no new reply can have been under way when the crash came.
        cutOff: { crashes: this.renewed === 0 ? crashes : 0, sent: 0 },
        hear: hear.model,
        signals: {
          waiting: AbortSignal.any([signal, this.stopped.signal]),
          sending: AbortSignal.any([signal, this.unwanted.signal]),
        },
        watch: {
          sent: (at) => {
            open.sent = at;
          },
          asksAgain: () => this.checkExperiment(1),
          failed: async (unkept, refused) => {
            if (!refused) open.hasFailed = true;
            await this.bookUnkept(unkept);
          },
        },
      });
      this.renewed += 1;
      return asked;
    } finally {
      this.asking -= 1;
    }
  }

  private async bookUnkept(unkept: Unkept | null): Promise<void> {
    if (unkept === null) return;
    const { paid, noteUnkept, notify, hear, signal } = this.options;
    paid.unkept = addUnkept(paid.unkept, unkept) ?? unkept;
    const waiting = { log: this.model.log, notify, hear: hear.store, what: 'store what was spent', signal };
    // One after the other: the last one says it all.
    this.noting = this.noting
      .catch(() => undefined)
      .then(() => patiently(() => noteUnkept(paid.unkept ?? unkept), waiting));
    await this.noting;
  }

  private spentByProgram(): keyof typeof SPENT | null {
    const { limits } = this.options;
    if (this.started >= limits.max_lm_calls) return 'calls';
    // What a provider failed to answer is not the program's to pay for.
    const { tokens } = spendingOf(this.cost);
    return limits.max_tokens !== null && tokens >= limits.max_tokens ? 'tokens' : null;
  }

  /** With the calls that are under way. */
  private spending(cost: StepCost): Spending {
    const { lm_calls, ...spent } = spendingOf(cost);
    return { ...spent, lm_calls: lm_calls + this.asking };
  }

  /**
   * @param own how many of the calls under way are the one that would be sent.
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

  /** The order in which threads ask is not the program's to decide, so it is no part of a call's name. */
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
