import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { GeneratedReply, LanguageModelActivities, StepAnswer } from '../contracts/activities.js';
import type { CallRecord, GenerateReply, GenerateRequest } from '../contracts/language-model.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { AwaitedStep, GenerateInput } from '../contracts/run.js';
import { AdaptiveLimit, outcomeOf } from '../language-models/adaptive-limit.js';
import { LanguageModelError } from '../language-models/errors.js';
import { callKeyOf, idempotencyKeyOf, promptKeyOf } from './call-key.js';
import { recordOf, requestOf } from './call-record.js';
import type { StoredCall } from './call-store.js';
import type { WorkerDependencies } from './dependencies.js';
import { stepEnvironment } from './environments.js';
import { patiently } from './patiently.js';
import { pauseAfter } from './pause-after.js';
import { ReplyCache } from './reply-cache.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Milliseconds between two signs of life; the heartbeat timeout is 10 s. */
const HEARTBEAT_INTERVAL = 3000;
/** Milliseconds that a reply waits unwritten for the environment's answer to it. */
const QUICK_STEP = 200;

/** What an attempt leaves for the next one. */
interface AttemptNotes {
  /** Attempts that ended with a provider's failure. Every other one was cut off by a crash. */
  failures: number;
}

function notesOf(context: Context): AttemptNotes {
  const details = context.info.heartbeatDetails as Partial<AttemptNotes> | undefined;
  return { failures: details?.failures ?? 0 };
}

function replyOf({ record, answer }: StoredCall): GeneratedReply {
  return {
    text: record.text,
    finish_reason: record.finish_reason,
    ...(record.cost_usd === null ? {} : { cost_usd: record.cost_usd }),
    ...(record.usage === undefined ? {} : { usage: record.usage }),
    ...(record.tool_calls === undefined ? {} : { tool_calls: record.tool_calls }),
    ...(record.repeated > 0 ? { repeated: record.repeated } : {}),
    ...(answer === null ? {} : { step: answer }),
  };
}

/** Turns a provider's failure into what the retry policy should do. */
function failureOf(error: unknown, failures: number, maxAttempts: number): unknown {
  if (!(error instanceof LanguageModelError)) return error;
  if (error.kind === 'cancelled') return new CancelledFailure(error.message);
  const type = error.fatalForRun ? FAILURE_TYPES.fatalProvider : error.kind;
  const last = failures >= maxAttempts;
  const message =
    last && error.retryable ? `${error.message} (gave up after ${failures} attempts)` : error.message;
  return ApplicationFailure.create({
    message,
    type,
    nonRetryable: last || !error.retryable,
    ...(error.retryAfterMs === undefined
      ? {}
      : { nextRetryDelay: Math.max(error.retryAfterMs, pauseAfter(failures)) }),
  });
}

/**
 * One LM call an activity. A finished call is never paid twice: the reply is stored under the call before the
 * activity completes, and every attempt looks there first. Retries belong to the activity's policy alone; provider
 * failures count against `lm.max_attempts`, workers that die do not.
 */
export function createLanguageModelActivities(
  runs: RunContexts,
  dependencies: WorkerDependencies,
): LanguageModelActivities {
  const limits = new Map<string, AdaptiveLimit>();

  function limitFor(run: RunContext): AdaptiveLimit {
    const { provider, model, base_url } = run.config.lm;
    const name = [provider, model, base_url].join(' ');
    let limit = limits.get(name);
    if (limit === undefined) {
      limit = new AdaptiveLimit({ maximum: dependencies.maxConcurrentCalls });
      limits.set(name, limit);
    }
    return limit;
  }

  const logOf = (run: RunContext) => dependencies.runLogs.for(run.store, run.config.output.log_level);

  async function ask(
    run: RunContext,
    request: GenerateRequest,
    key: string,
  ): Promise<{ reply: GenerateReply; latency: number }> {
    const context = Context.current();
    const { model } = await run.languageModel();
    const release = await limitFor(run).acquire(context.cancellationSignal);
    const sent = performance.now();
    try {
      const reply = await model.generate(request, {
        signal: context.cancellationSignal,
        idempotencyKey: idempotencyKeyOf(run.store.uri, key),
      });
      release('success');
      return { reply, latency: Math.round(performance.now() - sent) };
    } catch (error) {
      release(outcomeOf(error));
      throw error;
    }
  }

  /** Asks the provider. A failure is noted for the next attempt, and becomes what the retry policy should do. */
  async function askOnce(
    run: RunContext,
    request: GenerateRequest,
    key: string,
    notes: AttemptNotes,
  ): Promise<{ reply: GenerateReply; latency: number }> {
    const { max_attempts } = run.config.lm;
    try {
      return await ask(run, request, key);
    } catch (error) {
      const context = Context.current();
      notes.failures += 1;
      context.heartbeat(notes);
      const failure = failureOf(error, notes.failures, max_attempts);
      const { attempt } = context.info;
      logOf(run).warn({ call: request.call, attempt, error: (error as Error).message }, 'LM call failed');
      if (failure instanceof ApplicationFailure && !failure.nonRetryable) {
        dependencies.notify(`Asking again: ${failure.message}`);
      }
      throw failure;
    }
  }

  /** Stores the reply and the environment's answer to it. The reply is paid for: it is held until the store takes it. */
  async function keep(
    run: RunContext,
    record: CallRecord,
    awaited: AwaitedStep | undefined,
  ): Promise<StoredCall> {
    const save = (answer: StepAnswer | null) =>
      patiently(() => run.calls.save({ record, answer }), {
        log: logOf(run),
        notify: dependencies.notify,
        what: 'store a reply',
        signal: Context.current().cancellationSignal,
      });
    if (awaited === undefined) {
      await save(null);
      return { record, answer: null };
    }
    const stepping = stepEnvironment(run, awaited, record.text);
    // Mostly the step is done at once and one write holds both; a slow grader must not put the reply at risk.
    const quick = await Promise.race([stepping, sleep(QUICK_STEP, null, { ref: false })]);
    await save(quick);
    if (quick !== null) return { record, answer: quick };
    const answer = await stepping;
    await save(answer);
    return { record, answer };
  }

  /** The stored call; its step is taken now where the reply was stored before it was. */
  async function recall(
    run: RunContext,
    { record, answer }: StoredCall,
    awaited: AwaitedStep | undefined,
  ): Promise<StoredCall> {
    if (awaited === undefined) return { record, answer: null };
    return { record, answer: answer ?? (await stepEnvironment(run, awaited, record.text)) };
  }

  async function answer(input: GenerateInput, notes: AttemptNotes): Promise<StoredCall> {
    const run = await runs.get(input.run);
    const { lm, output } = run.config;
    const request = requestOf(lm, input.call, input);
    const key = callKeyOf(run.modelName, request);
    const stored = await run.calls.find(input.call, key);
    if (stored !== null) return recall(run, stored, input.step);

    const crashes = Math.max(Context.current().info.attempt - 1 - notes.failures, 0);
    const cache = lm.cache ? new ReplyCache(dependencies.openStore(output.results_dir)) : null;
    const promptKey = cache === null ? '' : promptKeyOf(run.modelAddress, request);
    const hit = (await cache?.get(promptKey)) ?? null;
    const { reply, latency } =
      hit === null ? await askOnce(run, request, key, notes) : { reply: hit, latency: 0 };
    const record = recordOf(request, {
      key,
      reply,
      model: lm.model,
      cost_usd: run.costOf(reply.usage),
      latency_ms: latency,
      failures: notes.failures,
      crashes,
      cached: hit !== null,
    });
    const kept = await keep(run, record, input.step);
    if (hit === null) await cache?.put(promptKey, reply);
    return kept;
  }

  async function generate(input: GenerateInput): Promise<GeneratedReply> {
    const context = Context.current();
    const notes = notesOf(context);
    const heartbeat = setInterval(() => context.heartbeat(notes), HEARTBEAT_INTERVAL);
    try {
      return replyOf(await answer(input, notes));
    } finally {
      clearInterval(heartbeat);
    }
  }

  return { generate };
}
