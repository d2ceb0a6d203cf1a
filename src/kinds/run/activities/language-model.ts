import { setTimeout as sleep } from 'node:timers/promises';
import { Attempt } from '../../../activities/attempt.js';
import { workerCrash } from '../../../activities/attempt-journal.js';
import { replyOf } from '../../../activities/call-record.js';
import type { StoredCall } from '../../../activities/call-store.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { CalledModel, ModelCalls } from '../../../activities/model-calls.js';
import { held } from '../../../activities/patiently.js';
import type { AwaitedStep, StepAnswer } from '../../../contracts/environment.js';
import type { CallRecord, GeneratedReply } from '../../../contracts/language-model.js';
import type { GenerateInput, LanguageModelActivities } from '../contracts.js';
import { stepEnvironment } from './environments.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Milliseconds that a reply waits unwritten for the environment's answer to it. */
const QUICK_STEP = 200;

/** What a lane needs of it: `info` is found beside the reply when the row is written. */
function withoutInfo(answer: StepAnswer): StepAnswer {
  if ('error' in answer) return answer;
  const { info: _info, ...needed } = answer;
  return needed;
}

function answerOf({ record, answer }: StoredCall, { unkept, isCounted }: Attempt): GeneratedReply {
  return {
    ...replyOf(record),
    ...(isCounted ? { counted: true } : {}),
    ...(unkept === null ? {} : { unkept }),
    ...(answer === null ? {} : { step: withoutInfo(answer) }),
  };
}

/**
 * One LM call an activity. A finished call is never paid twice: the reply is stored under the call before the
 * activity completes, and every attempt looks there first. Retries belong to the activity's policy alone; provider
 * failures count against `lm.max_attempts`, workers that die do not.
 */
export function createLanguageModelActivities(
  runs: RunContexts,
  dependencies: WorkerDependencies,
  models: ModelCalls,
): LanguageModelActivities {
  const calledModel = (run: RunContext): CalledModel => ({
    lm: run.config.lm,
    store: run.store,
    resultsDir: run.config.output.results_dir,
    calls: run.calls,
    log: logOf(run),
    modelName: run.modelName,
    modelAddress: run.modelAddress,
    costOf: (usage) => run.costOf(usage),
    languageModel: () => run.languageModel(),
    askedAgain: run.askedAgain,
  });
  const logOf = (run: RunContext) =>
    dependencies.runLogs.for(run.store, run.config.output.log_level, 'model');

  /** Stores the reply and the environment's answer to it. @returns those that are kept: others may have come first. */
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
    // Mostly the step is done at once and one write holds both; a slow grader must not put the reply at risk.
    // A step that cannot be taken now is taken by a later attempt, which finds the reply.
    const taken = stepping.catch(() => null);
    const quick = await Promise.race([taken, sleep(QUICK_STEP, null, { ref: false })]);
    const kept = await save(quick);
    return answered(run, kept, attempt, () =>
      kept.record.text === record.text ? stepping : step(run, kept, awaited),
    );
  }

  const step = (run: RunContext, { record }: StoredCall, awaited: AwaitedStep): Promise<StepAnswer> =>
    stepEnvironment(run, awaited, record.text);

  /** The stored call with the environment's answer: the one that is stored, or else the one that is taken now. */
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
    const model = calledModel(run);
    const asked = models.prepare(model, input.call, input);
    const found = await run.calls.find(input.call, asked.key);
    if (found !== null) {
      const stored = await models.found(model, found, attempt);
      const { step: awaited } = input;
      if (awaited === undefined) return { ...stored, answer: null };
      return answered(run, stored, attempt, () => step(run, stored, awaited));
    }
    const { record, settle } = await models.ask(model, asked, attempt);
    const kept = await keep(run, record, input.step, attempt);
    await settle();
    return kept;
  }

  return {
    generate: (input) =>
      Attempt.run(async (attempt) => answerOf(await answer(input, attempt), attempt), input.before),
  };
}
