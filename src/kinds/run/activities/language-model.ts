import { setTimeout as sleep } from 'node:timers/promises';
import { Attempt } from '../../../activities/attempt.js';
import { workerCrash } from '../../../activities/attempt-journal.js';
import { replyOf } from '../../../activities/call-record.js';
import type { StoredCall } from '../../../activities/call-store.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import { held } from '../../../activities/patiently.js';
import { withGiven } from '../../../activities/with-given.js';
import type { AwaitedStep, StepAnswer } from '../../../contracts/environment.js';
import type { CallRecord, GeneratedReply, GenerateRequest } from '../../../contracts/language-model.js';
import type { GenerateInput, LanguageModelActivities } from '../contracts.js';
import { stepEnvironment } from './environments.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Milliseconds that a reply waits for the environment's answer before it is stored alone. */
const QUICK_STEP = 200;

/** Removes `info`, which a lane does not need: it is read from the store when the row is written. */
function withoutInfo(answer: StepAnswer): StepAnswer {
  if ('error' in answer) return answer;
  const { info: _info, ...needed } = answer;
  return needed;
}

function answerOf({ record, answer }: StoredCall, attempt: Attempt): GeneratedReply {
  const { unrecorded, isCounted, isFound } = attempt;
  return {
    ...replyOf(record),
    ...(isCounted ? { counted: true } : {}),
    ...(isFound ? { found: true } : {}),
    ...(unrecorded === null ? {} : { unrecorded }),
    ...(answer === null ? {} : { step: withoutInfo(answer) }),
  };
}

/** Returns a request with what came with the calls of tools that an agent's own loop repeats. */
async function withEarlier(run: RunContext, request: GenerateRequest): Promise<GenerateRequest> {
  const { messages, call } = request;
  if (!messages.some(({ tool_calls }) => tool_calls !== undefined)) return request;
  const earlier = Array.from({ length: call.ordinal }, (_, ordinal) => run.calls.at({ ...call, ordinal }));
  const replies = (await Promise.all(earlier)).flatMap((stored) => (stored === null ? [] : [stored.record]));
  return { ...request, messages: withGiven(messages, replies) };
}

/**
 * Creates the activity that makes one model call. A finished call is never paid twice: the reply is stored before the
 * activity completes, and every attempt looks for it first. Only the activity's policy retries; provider failures count
 * against `lm.max_attempts`, workers that die do not.
 */
export function createLanguageModelActivities(
  runs: RunContexts,
  dependencies: WorkerDependencies,
  models: ModelCalls,
): LanguageModelActivities {
  const logOf = (run: RunContext) => run.log('model');

  /** Stores the reply and the environment's answer. @returns the stored ones: others may have been first. */
  async function keep(
    run: RunContext,
    record: CallRecord,
    awaited: AwaitedStep | undefined,
    attempt: Attempt,
  ): Promise<StoredCall> {
    const save = (answer: StepAnswer | null) =>
      models.keep(record, attempt, logOf(run), () => run.calls.save({ record, answer }));
    if (awaited === undefined) return save(null);
    const stepping = stepEnvironment(run, awaited, record.text);
    // Usually the step is quick and one write stores both; a slow grader must not put the reply at risk. A step that
    // fails now is taken by a later attempt, which finds the reply.
    const taken = stepping.catch(() => null);
    const quick = await Promise.race([taken, sleep(QUICK_STEP, null, { ref: false })]);
    const kept = await save(quick);
    return answered(run, kept, attempt, () =>
      kept.record.text === record.text ? stepping : step(run, kept, awaited),
    );
  }

  const step = (run: RunContext, { record }: StoredCall, awaited: AwaitedStep): Promise<StepAnswer> =>
    stepEnvironment(run, awaited, record.text);

  /** Returns the stored call with the environment's answer: the stored one, or else one that is taken now. */
  async function answered(
    run: RunContext,
    stored: StoredCall,
    attempt: Attempt,
    take: () => Promise<StepAnswer>,
  ): Promise<StoredCall> {
    const { record } = stored;
    const there = await run.calls.answerTo(stored);
    if (there !== null) return { record, answer: there };
    const { deadWorkers } = attempt;
    if (deadWorkers !== null) throw workerCrash(deadWorkers, attempt.costOf(stored.record));
    const answer = await take();
    const kept = await held(() => run.calls.keepAnswer(record, answer), {
      log: logOf(run),
      dependencies,
      what: 'store a step',
    });
    return { record, answer: kept };
  }

  async function answer(input: GenerateInput, attempt: Attempt): Promise<StoredCall> {
    const run = await runs.get(input.run);
    const model = run.calledModel();
    const asked = models.prepare(model, input.call, input);
    const found = await run.calls.find(input.call, asked.key);
    if (found !== null) {
      const stored = await models.found(model, found, attempt);
      const { step: awaited } = input;
      if (awaited === undefined) return { ...stored, answer: null };
      return answered(run, stored, attempt, () => step(run, stored, awaited));
    }
    const request = await withEarlier(run, asked.request);
    const { record, settle } = await models.ask(model, { ...asked, request }, attempt);
    const kept = await keep(run, record, input.step, attempt);
    await settle();
    return kept;
  }

  return {
    generate: (input) =>
      Attempt.run(async (attempt) => answerOf(await answer(input, attempt), attempt), input.before),
  };
}
