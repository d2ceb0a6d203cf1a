import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { GeneratedReply, LanguageModelActivities, StepAnswer } from '../contracts/activities.js';
import type { CallRecord, GenerateReply, GenerateRequest } from '../contracts/language-model.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import { AdaptiveLimit, outcomeOf } from '../language-models/adaptive-limit.js';
import { LanguageModelError } from '../language-models/errors.js';
import { callKeyOf, idempotencyKeyOf, promptKeyOf } from './call-key.js';
import type { StoredCall } from './call-store.js';
import type { WorkerDependencies } from './dependencies.js';
import { stepEnvironment } from './environments.js';
import { patiently } from './patiently.js';
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

function requestOf(
  run: RunContext,
  input: Parameters<LanguageModelActivities['generate']>[0],
): GenerateRequest {
  const { temperature, max_output_tokens, thinking_budget } = run.config.lm;
  const parameters = {
    temperature,
    max_output_tokens,
    ...(thinking_budget === null ? {} : { thinking_budget }),
    ...input.parameters,
  };
  return {
    messages: input.messages,
    parameters,
    call: input.call,
    ...(input.tools ? { tools: input.tools } : {}),
  };
}

function replyOf({ record, answer }: StoredCall): GeneratedReply {
  return {
    text: record.text,
    finish_reason: record.finish_reason,
    cost_usd: record.cost_usd,
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
    ...(error.retryAfterMs === undefined ? {} : { nextRetryDelay: error.retryAfterMs }),
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

  async function generate(
    input: Parameters<LanguageModelActivities['generate']>[0],
  ): Promise<GeneratedReply> {
    const context = Context.current();
    const notes = notesOf(context);
    const crashes = context.info.attempt - 1 - notes.failures;
    const heartbeat = setInterval(() => context.heartbeat(notes), HEARTBEAT_INTERVAL);
    try {
      const run = await runs.get(input.run);
      const log = dependencies.runLogs.for(run.store, run.config.output.log_level);
      const request = requestOf(run, input);
      const key = callKeyOf(run.modelName, request);
      const recorded = await run.calls.find(input.call, key);
      const awaited = input.step;
      if (recorded !== null) {
        const answer =
          awaited === undefined
            ? null
            : (recorded.answer ?? (await stepEnvironment(run, awaited, recorded.record.text)));
        return replyOf({ record: recorded.record, answer });
      }

      const { cache, max_attempts } = run.config.lm;
      const shared = cache ? new ReplyCache(dependencies.openStore(run.config.output.results_dir)) : null;
      const promptKey = shared === null ? '' : promptKeyOf(run.modelAddress, request);
      const hit = (await shared?.get(promptKey)) ?? null;
      let asked: Awaited<ReturnType<typeof ask>>;
      try {
        asked = hit === null ? await ask(run, request, key) : { reply: hit, latency: 0 };
      } catch (error) {
        notes.failures += 1;
        context.heartbeat(notes);
        const failure = failureOf(error, notes.failures, max_attempts);
        log.warn(
          { call: input.call, attempt: context.info.attempt, error: (error as Error).message },
          'LM call failed',
        );
        if (notes.failures < max_attempts && failure instanceof ApplicationFailure && !failure.nonRetryable) {
          dependencies.notify(`Asking again: ${failure.message}`);
        }
        throw failure;
      }
      const { reply, latency } = asked;
      const paid = hit === null;
      const record: CallRecord = {
        ...input.call,
        key,
        model: reply.model ?? run.config.lm.model,
        text: reply.text,
        ...(reply.tool_calls === undefined ? {} : { tool_calls: reply.tool_calls }),
        finish_reason: reply.finish_reason,
        ...(reply.usage === undefined ? {} : { usage: reply.usage }),
        cost_usd: paid ? run.costOf(reply.usage) : 0,
        latency_ms: latency,
        messages: input.messages,
        parameters: request.parameters,
        attempts: notes.failures + Math.max(crashes, 0) + (paid ? 1 : 0),
        repeated: paid ? Math.max(crashes, 0) : 0,
        ...(paid ? {} : { cached: true }),
        at: new Date().toISOString(),
      };
      // The reply is paid for: it is held until the store takes it, however long the store is away.
      const save = (answer: StepAnswer | null) =>
        patiently(() => run.calls.save({ record, answer }), {
          log,
          notify: dependencies.notify,
          what: 'store a reply',
          signal: context.cancellationSignal,
        });
      const stepping = awaited === undefined ? null : stepEnvironment(run, awaited, reply.text);
      // Mostly the step is done at once and one write holds both; a slow grader must not put the reply at risk.
      const quick =
        stepping === null ? null : await Promise.race([stepping, sleep(QUICK_STEP, null, { ref: false })]);
      await save(quick);
      const answer = quick ?? (await stepping);
      if (quick === null && answer !== null) await save(answer);
      if (paid && shared !== null) await shared.put(promptKey, reply);
      return replyOf({ record, answer });
    } finally {
      clearInterval(heartbeat);
    }
  }

  return { generate };
}
