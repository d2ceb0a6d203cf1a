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
  Usage,
} from '../contracts/language-model.js';
import type { CutOff, FailedBefore, Unkept } from '../contracts/step-cost.js';
import { LanguageModelError } from '../language-models/errors.js';
import { type HearAway, WaitedTooLong, withFailure } from '../language-models/outage.js';
import { unkeptOf } from '../language-models/usage.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { Attempt } from './attempt.js';
import { failureOf, isFinalFailure, refusalOf } from './call-failures.js';
import { callKeyOf, idempotencyKeyOf, promptKeyOf } from './call-key.js';
import { recordOf, requestOf } from './call-record.js';
import type { CallStore, StoredCall } from './call-store.js';
import type { WorkerDependencies } from './dependencies.js';
import { type Asker, Forgiven, ModelGates } from './model-gates.js';
import { held } from './patiently.js';
import { pauseAfter } from './pause-after.js';
import { ReplyCache } from './reply-cache.js';
import { UnansweredRequests } from './unanswered-requests.js';

/** A model of an experiment, and where its calls are kept. */
export interface CalledModel {
  lm: LanguageModelConfig;
  /** The experiment's folder, and its results folder with the shared cache. */
  store: ArtifactStore;
  resultsDir: string;
  calls: CallStore;
  log: Logger;
  /** `provider/model`. */
  modelName: string;
  /** The model and the server it is asked at. */
  modelAddress: string;
  costOf(usage: Usage | undefined): number | null;
  languageModel(): Promise<{ model: LanguageModel }>;
  /**
   * Since when errors are asked again; null where none are. Then no reply is wanted that was given before, be it from the
   * shared cache or from a provider that remembers what it has answered.
   */
  askedAgain?: string | null;
}

/** A reply with its record, not stored yet. */
export interface Asked {
  record: CallRecord;
  /** What is left to do once the record is kept: the reply goes to the shared cache, where it is one that others may use. */
  settle: () => Promise<void>;
  /** From when to when the model worked on the reply, by `performance.now()`; null where it did not. */
  worked: Span | null;
}

/** Two moments, by `performance.now()`. */
export type Span = readonly [from: number, to: number];

interface Answered {
  reply: GenerateReply;
  worked: Span;
}

/** What ends a call: before its request is sent, and from then on. */
export interface CallSignals {
  waiting: AbortSignal;
  sending: AbortSignal;
}

/** Hears of the requests of a call. */
interface SendWatch {
  /** One goes out, by `performance.now()`. */
  sent(at: number): void;
}

/** Hears how a call fares. */
export interface CallWatch extends SendWatch {
  /** @throws where no further request may be sent for it. */
  asksAgain(): void;
  /** A request has no reply; null: it was never sent. It may be sent again, but where it was `refused`. */
  failed(unkept: Unkept | null, refused: boolean): Promise<void>;
}

/** How a call goes about its request. */
interface Asking extends Omit<Asker, 'key' | 'waiting'> {
  signals: CallSignals;
  watch: SendWatch;
}

/** What models are asked with. */
export type AskingDependencies = Pick<
  WorkerDependencies,
  'openStore' | 'maxConcurrentCalls' | 'leaseStarts' | 'notify' | 'news'
>;

/** Milliseconds that an attempt waits for a provider that is away: well within the activity's own time. */
const LONGEST_WAIT = 5 * 3600 * 1000;

/**
 * Asks models from within activities: the gates that each request passes, the failures' translation for the retry
 * policy, the shared cache, and the record that a call leaves. Storing the record is the caller's.
 */
export class ModelCalls {
  private readonly gates: ModelGates;
  private readonly unanswered: UnansweredRequests;

  constructor(private readonly dependencies: AskingDependencies) {
    this.gates = new ModelGates(dependencies);
    this.unanswered = new UnansweredRequests(dependencies);
  }

  /** The key and the request of a call; the key finds its record. */
  prepare(
    model: CalledModel,
    call: CallIdentity,
    asked: Omit<AgentRequest, 'purpose'>,
  ): { key: string; request: GenerateRequest } {
    const request = requestOf(model.lm, call, asked);
    return { key: callKeyOf(model.modelName, request), request };
  }

  /** Asks, and keeps the reply before anybody hears of it. @param save answers what is kept then. */
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

  /** Holds a reply until the store takes it; what another attempt needs for that is told to the server meanwhile. */
  keep<Value>(record: CallRecord, attempt: Attempt, log: Logger, save: () => Promise<Value>): Promise<Value> {
    return held(save, {
      log,
      dependencies: this.dependencies,
      what: 'store a reply',
      onFailure: () => attempt.holds(record),
    });
  }

  /** Asks once; another try is another attempt of the activity, or another activity. */
  async ask(
    model: CalledModel,
    prepared: { key: string; request: GenerateRequest },
    attempt: Attempt,
  ): Promise<Asked> {
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
      await this.unanswered.noteUnkept(model, attempt);
    };
    return { ...asked, settle };
  }

  /** A call whose reply is stored already, with what this activity may have sent for nothing. */
  async found(model: CalledModel, stored: StoredCall, attempt: Attempt): Promise<StoredCall> {
    attempt.finds(stored.record, await model.calls.isCounted(stored.record));
    await this.unanswered.noteUnkept(model, attempt);
    return model.calls.countRepeated(stored, attempt.cutOffBesideReply);
  }

  /**
   * Asks until there is a reply, for a program that waits within an activity: with the pauses that the activity's own
   * retries would make. May be called from anywhere, so it looks for no activity's context.
   * @param cutOff what a crash may have cut off in the middle of this call.
   * @param signals `waiting` ends what comes before a request is sent, `sending` ends the request as well.
   * @param watch hears of every request
   * @param hear hears of a provider that answers nobody; it is waited for as long as the signals let it.
   */
  askUntilAnswered(
    model: CalledModel,
    prepared: { key: string; request: GenerateRequest },
    {
      cutOff,
      signals,
      watch,
      hear,
    }: { cutOff: CutOff; signals: CallSignals; watch: CallWatch } & Pick<Asker, 'hear'>,
  ): Promise<Asked> {
    return this.fromCacheOr(model, prepared, cutOff, async () => {
      for (let before: FailedBefore = { failures: 0 }; ; ) {
        try {
          const answered = await this.send(model, prepared, { signals, watch, before, hear });
          return { ...answered, failures: before.failures };
        } catch (error) {
          if (error instanceof Forgiven) {
            await watch.failed(unkeptOf(model, prepared.request, error.refusal), false);
            watch.asksAgain();
            continue;
          }
          if (!(error instanceof LanguageModelError) || error.kind === 'cancelled') throw error;
          before = withFailure(before, error);
          const { failures } = before;
          const isFinal = isFinalFailure(error, failures, model.lm);
          this.unanswered.tell(model, prepared.request, error, { failures, isFinal });
          const failure = failureOf(error, { failures, isFinal });
          await watch.failed(unkeptOf(model, prepared.request, error), refusalOf(failure) !== null);
          if (isFinal) throw failure;
          await sleep(pauseAfter(failures, error.retryAfterMs), undefined, { signal: signals.waiting });
          watch.asksAgain();
        }
      }
    });
  }

  /** Tells the experiment of the activity that runs now of a provider that answers nobody. */
  newsOf({ modelName }: CalledModel): HearAway {
    return this.dependencies.news.listener(modelName);
  }

  private async fromCacheOr(
    model: CalledModel,
    { key, request }: { key: string; request: GenerateRequest },
    cutOff: CutOff,
    answered: () => Promise<Answered & { failures: number }>,
  ): Promise<Asked> {
    const cache =
      model.lm.cache && model.askedAgain == null
        ? new ReplyCache(this.dependencies.openStore(model.resultsDir))
        : null;
    const promptKey = cache === null ? '' : promptKeyOf(model.modelAddress, request);
    const hit = (await cache?.get(promptKey)) ?? null;
    const { reply, worked, failures } =
      hit === null ? await answered() : { reply: hit, worked: null, failures: 0 };
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
      if (hit === null) await cache?.put(promptKey, reply);
    };
    return { record, settle, worked };
  }

  /** One request, once it may go. @throws what the adapter and {@link ModelGates.pass} throw. */
  private async send(
    model: CalledModel,
    { key, request }: { key: string; request: GenerateRequest },
    { signals, watch, ...asker }: Asking,
  ): Promise<Answered> {
    const { model: languageModel } = await model.languageModel();
    return this.gates.pass(model, { ...asker, key, waiting: signals.waiting }, async () => {
      const sent = performance.now();
      watch.sent(sent);
      const reply = await languageModel.generate(request, {
        signal: signals.sending,
        idempotencyKey: idempotencyKeyOf(`${model.store.uri}${model.askedAgain ?? ''}`, key),
      });
      return { reply, worked: [sent, performance.now()] };
    });
  }

  /** Asks the provider. A failure is noted for the next attempt, and becomes what the retry policy should do. */
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
      hear: this.newsOf(model),
    };
    for (;;) {
      try {
        return await this.send(model, prepared, { ...asking, before: attempt.soFar });
      } catch (error) {
        // What is cut off after it was sent may be paid all the same: it is no failure of the provider's.
        if (error instanceof LanguageModelError && error.kind === 'cancelled') {
          throw new CancelledFailure(error.message);
        }
        if (error instanceof Forgiven) {
          attempt.forgiven(unkeptOf(model, prepared.request, error.refusal));
          if (attempt.isSingle)
            throw await this.unanswered.endSingle(model, prepared.request, error.refusal, attempt);
          continue;
        }
        if (error instanceof WaitedTooLong) throw failureOf(error.refusal, { failures: 0, isFinal: false });
        if (signal.aborted) throw error;
        const isModels = error instanceof LanguageModelError;
        attempt.failed(error, isModels ? unkeptOf(model, prepared.request, error) : null);
        if (!isModels) throw error;
        throw await this.unanswered.failed(model, prepared.request, error, attempt);
      }
    }
  }
}
