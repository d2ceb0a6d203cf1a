import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { LanguageModelConfig } from '../config/language-model-schema.js';
import type { AgentRequest } from '../contracts/agent.js';
import type {
  CallIdentity,
  CallRecord,
  GenerateReply,
  GenerateRequest,
  LanguageModel,
  Purpose,
  Usage,
} from '../contracts/language-model.js';
import type { CutOffAttempts, FailedBefore, Unrecorded } from '../contracts/step-cost.js';
import { LanguageModelError } from '../language-models/errors.js';
import { type OnUnreachable, WaitedTooLong, withFailure } from '../language-models/outage.js';
import { unrecordedOf } from '../language-models/usage.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { Attempt } from './attempt.js';
import { failureOf, isFinalFailure, refusalOf } from './call-failures.js';
import { callKeyOf, idempotencyKeyOf, promptKeyOf, sharedCallKeyOf } from './call-key.js';
import { recordOf, requestOf } from './call-record.js';
import type { CallStore, StoredCall } from './call-store.js';
import type { WorkerDependencies } from './dependencies.js';
import { type Asker, Forgiven, ModelGates } from './model-gates.js';
import { held } from './patiently.js';
import { pauseAfter } from './pause-after.js';
import { AwaitedReplies, ReplyCache } from './reply-cache.js';
import { RequestImages } from './request-images.js';
import { UnansweredRequests } from './unanswered-requests.js';

/** Model of an experiment, and the store of its calls. */
export interface CalledModel {
  lm: LanguageModelConfig;
  /** Folder of the experiment; `resultsDir` holds the shared cache. */
  store: ArtifactStore;
  resultsDir: string;
  /** That of the experiment. */
  seed: number;
  calls: CallStore;
  log: Logger;
  /** `provider/model`. */
  modelName: string;
  /** Model and the server that it is requested at. */
  modelAddress: string;
  costOf(usage: Usage | undefined): number | null;
  languageModel(): Promise<{ model: LanguageModel }>;
  /**
   * Time since which errors are retried; null if they are not. If set, no earlier reply is used, neither from the
   * shared cache nor from a provider that stores its replies.
   */
  askedAgain?: string | null;
}

/** Reply with its record, not stored yet. */
export interface UnstoredReply {
  record: CallRecord;
  /** Completes the call once the record is kept: stores a reply that others may use in the shared cache. */
  settle: () => Promise<void>;
  /** Time during which the model worked on the reply, by `performance.now()`; null if it did not. */
  worked: Span | null;
}

/** Two times, by `performance.now()`. */
export type Span = readonly [from: number, to: number];

interface Answered {
  reply: GenerateReply;
  worked: Span;
}

/** Signals that end a call: one before its request is sent, one also after that. */
export interface CallSignals {
  waiting: AbortSignal;
  sending: AbortSignal;
}

/** Observer of the requests of a call. */
interface SendWatch {
  /** Called when a request is sent. @param at by `performance.now()` */
  sent(at: number): void;
}

/** Observer of the progress of a call. */
export interface CallWatch extends SendWatch {
  /** Called before a request is repeated. @throws if no further request may be sent for the call. */
  asksAgain(): void;
  /** Called when a request has no reply; null if it was never sent. It may be sent again unless it was `refused`. */
  failed(unrecorded: Unrecorded | null, refused: boolean): Promise<void>;
}

/** Options of sending a call's request. */
interface Asking extends Omit<Asker, 'key' | 'waiting'> {
  signals: CallSignals;
  watch: SendWatch;
}

/** Dependencies of requesting models. */
export type AskingDependencies = Pick<
  WorkerDependencies,
  'openStore' | 'maxConcurrentCalls' | 'grantStarts' | 'notify' | 'notices'
>;

/** Returns the key of a request in the shared cache. */
function sharedKeyOf({ lm, modelAddress, seed }: CalledModel, request: GenerateRequest): string {
  if (lm.cache === 'seed') return sharedCallKeyOf(modelAddress, request, seed);
  return lm.cache === 'runs' ? sharedCallKeyOf(modelAddress, request) : promptKeyOf(modelAddress, request);
}

/** Purposes of calls whose chat grows by the answering model's own replies. */
const GROWING: readonly Purpose[] = ['act', 'agent', 'generate'];

/**
 * Returns the reply of a model that has filled its context with its own earlier turns: one that was cut off before it
 * began, which is judged. Null for another error, and for a first request, of which nothing is the model's own; in a
 * kind of one's own each chat without a reply is a first one.
 */
function fullContextReply(
  { kind, message }: LanguageModelError,
  { call: { purpose, ordinal, role }, messages }: GenerateRequest,
  { on_cut_off }: LanguageModelConfig,
): GenerateReply | null {
  const isFirst = ordinal === 0 || (role !== undefined && !messages.some((one) => one.role === 'assistant'));
  const isJudged = kind === 'context_full' && GROWING.includes(purpose) && on_cut_off !== 'error';
  if (!isJudged || isFirst) return null;
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { text: '', finish_reason: 'length', context_full: message, usage, cost_usd: 0 };
}

/** Milliseconds that an attempt waits for an unreachable provider: well within the activity's timeout. */
const LONGEST_WAIT = 5 * 3600 * 1000;

/**
 * Requests models from within activities: applies the gates that each request passes, the conversion of failures for
 * the retry policy, and the shared cache, and builds the record of a call. The caller stores the record.
 */
export class ModelCalls {
  private readonly gates: ModelGates;
  private readonly unanswered: UnansweredRequests;
  private readonly awaited = new AwaitedReplies();
  private readonly images = new RequestImages();

  constructor(private readonly dependencies: AskingDependencies) {
    this.gates = new ModelGates(dependencies);
    this.unanswered = new UnansweredRequests(dependencies);
  }

  /** Returns the key and the request of a call; the key finds its record. */
  prepare(
    model: CalledModel,
    call: CallIdentity,
    asked: Omit<AgentRequest, 'purpose'>,
  ): { key: string; request: GenerateRequest } {
    const request = requestOf(model.lm, call, asked);
    return { key: callKeyOf(model.modelName, request), request };
  }

  /** Requests a reply, and stores it before it is used. @param save returns the call that is stored then. */
  async askAndKeep(
    model: CalledModel,
    prepared: { key: string; request: GenerateRequest },
    attempt: Attempt,
    save: (call: StoredCall) => Promise<StoredCall>,
  ): Promise<CallRecord> {
    const { record, settle } = await this.ask(model, prepared, attempt);
    const kept = await this.keep(record, attempt, model.log, () => save({ record, answer: null }));
    await settle();
    return kept.record;
  }

  /** Keeps a reply pending until the store accepts it; meanwhile the server holds it for another attempt. */
  keep<Value>(record: CallRecord, attempt: Attempt, log: Logger, save: () => Promise<Value>): Promise<Value> {
    return held(save, {
      log,
      dependencies: this.dependencies,
      what: 'store a reply',
      onFailure: () => attempt.holds(record),
    });
  }

  /** Requests a reply once; a retry is another attempt of the activity, or another activity. */
  async ask(
    model: CalledModel,
    prepared: { key: string; request: GenerateRequest },
    attempt: Attempt,
  ): Promise<UnstoredReply> {
    const left = attempt.leftFor(prepared);
    const { deadWorkers } = attempt;
    if (left === null && deadWorkers !== null) {
      throw await this.unanswered.endCrashed(model, prepared.request, deadWorkers, attempt);
    }
    const asked =
      left === null
        ? await this.fromCacheOr(model, prepared, attempt.cutOff, async () => ({
            ...(await this.askOnce(model, prepared, attempt)),
            failures: attempt.soFar.failures,
          }))
        : { record: left, settle: async () => undefined, worked: null };
    if (asked.record.cached !== true) attempt.concludes(asked.record);
    const settle = async () => {
      await asked.settle();
      await this.unanswered.noteUnrecorded(model, attempt);
    };
    return { ...asked, settle };
  }

  /** Returns a call whose reply is already stored, with the unrecorded requests of this activity. */
  async found(model: CalledModel, stored: StoredCall, attempt: Attempt): Promise<StoredCall> {
    attempt.finds(stored.record, await model.calls.isCounted(stored.record));
    await this.unanswered.noteUnrecorded(model, attempt);
    return model.calls.countRepeated(stored, attempt.cutOffBesideReply);
  }

  /**
   * Requests until there is a reply, for a program that waits within an activity, with the pauses of activity retries.
   * May be called from anywhere, so it uses no activity context.
   * @param cutOff requests of this call that a crash may have cut off.
   * @param signals `waiting` ends what comes before a request is sent, `sending` ends the request as well.
   * @param watch observes every request
   * @param onUnreachable called for an unreachable provider; the wait for it lasts until a signal ends it.
   */
  askUntilAnswered(
    model: CalledModel,
    prepared: { key: string; request: GenerateRequest },
    {
      cutOff,
      signals,
      watch,
      onUnreachable,
    }: { cutOff: CutOffAttempts; signals: CallSignals; watch: CallWatch } & Pick<Asker, 'onUnreachable'>,
  ): Promise<UnstoredReply> {
    return this.fromCacheOr(model, prepared, cutOff, async () => {
      for (let before: FailedBefore = { failures: 0 }; ; ) {
        try {
          const answered = await this.send(model, prepared, { signals, watch, before, onUnreachable });
          return { ...answered, failures: before.failures };
        } catch (error) {
          if (error instanceof Forgiven) {
            await watch.failed(unrecordedOf(model, prepared.request, error.refusal), false);
            watch.asksAgain();
            continue;
          }
          if (!(error instanceof LanguageModelError) || error.kind === 'cancelled') throw error;
          before = withFailure(before, error);
          const { failures } = before;
          const isFinal = isFinalFailure(error, failures, model.lm);
          this.unanswered.report(model, prepared.request, error, { failures, isFinal });
          const failure = failureOf(error, { failures, isFinal });
          await watch.failed(unrecordedOf(model, prepared.request, error), refusalOf(failure) !== null);
          if (isFinal) throw failure;
          await sleep(pauseAfter(failures, error.retryAfterMs), undefined, { signal: signals.waiting });
          watch.asksAgain();
        }
      }
    });
  }

  /** Returns the listener that notifies the current activity's experiment of an unreachable provider. */
  listenerOf({ modelName }: CalledModel): OnUnreachable {
    return this.dependencies.notices.listener(modelName);
  }

  private async fromCacheOr(
    model: CalledModel,
    { key, request }: { key: string; request: GenerateRequest },
    cutOff: CutOffAttempts,
    answered: () => Promise<Answered & { failures: number }>,
  ): Promise<UnstoredReply> {
    const cache =
      model.lm.cache !== false && model.askedAgain == null
        ? new ReplyCache(this.dependencies.openStore(model.resultsDir))
        : null;
    const shared = cache === null ? '' : sharedKeyOf(model, request);
    // Of another results folder, the same call is another one.
    const place = `${model.resultsDir} ${shared}`;
    let hit = (await cache?.get(shared)) ?? null;
    for (let other = this.awaited.of(place); cache !== null && hit === null && other !== undefined; ) {
      hit = await other;
      other = hit === null ? this.awaited.of(place) : undefined;
    }
    const { reply, worked, failures } =
      hit !== null
        ? { reply: hit, worked: null, failures: 0 }
        : cache === null
          ? await answered()
          : await this.awaited.during(place, answered);
    const record = recordOf(request, {
      key,
      reply,
      model: model.lm.model,
      cost_usd: reply.cost_usd ?? model.costOf(reply.usage),
      latency_ms: worked === null ? 0 : Math.round(worked[1] - worked[0]),
      failures,
      cutOff,
      cached: hit !== null,
    });
    const settle = async () => {
      if (hit === null && reply.context_full === undefined) await cache?.put(shared, reply);
    };
    return { record, settle, worked };
  }

  /** Sends one request once it may be sent. @throws what the adapter and {@link ModelGates.pass} throw. */
  private async send(
    model: CalledModel,
    { key, request }: { key: string; request: GenerateRequest },
    { signals, watch, ...asker }: Asking,
  ): Promise<Answered> {
    const { model: languageModel } = await model.languageModel();
    const whole = await this.images.in(model.store, request);
    return this.gates.pass(model, { ...asker, key, waiting: signals.waiting }, async () => {
      const sent = performance.now();
      watch.sent(sent);
      const reply = await languageModel.generate(whole, {
        signal: signals.sending,
        idempotencyKey: idempotencyKeyOf(`${model.store.uri}${model.askedAgain ?? ''}`, key),
      });
      return { reply, worked: [sent, performance.now()] };
    });
  }

  /** Requests the provider. Notes a failure for the next attempt, and converts it for the retry policy. */
  private async askOnce(
    model: CalledModel,
    prepared: { key: string; request: GenerateRequest },
    attempt: Attempt,
  ): Promise<Answered> {
    const signal = Context.current().cancellationSignal;
    const asking: Omit<Asking, 'before'> = {
      signals: { waiting: signal, sending: signal },
      watch: { sent: () => attempt.asks() },
      until: performance.now() + LONGEST_WAIT,
      onUnreachable: this.listenerOf(model),
    };
    for (;;) {
      try {
        return await this.send(model, prepared, { ...asking, before: attempt.soFar });
      } catch (error) {
        // A request that was cancelled after it was sent may still be charged: that is no failure of the provider.
        if (error instanceof LanguageModelError && error.kind === 'cancelled') {
          throw new CancelledFailure(error.message);
        }
        if (error instanceof Forgiven) {
          attempt.forgiven(unrecordedOf(model, prepared.request, error.refusal));
          if (attempt.isSingle)
            throw await this.unanswered.endSingle(model, prepared.request, error.refusal, attempt);
          continue;
        }
        if (error instanceof WaitedTooLong) throw failureOf(error.refusal, { failures: 0, isFinal: false });
        if (signal.aborted) throw error;
        const isModels = error instanceof LanguageModelError;
        const full = isModels ? fullContextReply(error, prepared.request, model.lm) : null;
        if (full !== null && isModels) {
          const { failures } = attempt.soFar;
          this.unanswered.report(model, prepared.request, error, { failures, isFinal: true });
          const now = performance.now();
          return { reply: full, worked: [now, now] };
        }
        attempt.failed(error, isModels ? unrecordedOf(model, prepared.request, error) : null);
        if (!isModels) throw error;
        throw await this.unanswered.failed(model, prepared.request, error, attempt);
      }
    }
  }
}
