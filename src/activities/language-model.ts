import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { GeneratedReply, LanguageModelActivities, StepAnswer } from '../contracts/activities.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { AwaitedStep, GenerateInput } from '../contracts/run.js';
import { Attempt } from './attempt.js';
import type { StoredCall } from './call-store.js';
import type { WorkerDependencies } from './dependencies.js';
import { stepEnvironment } from './environments.js';
import type { CalledModel, ModelCalls } from './model-calls.js';
import { patiently } from './patiently.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Milliseconds that a reply waits unwritten for the environment's answer to it. */
const QUICK_STEP = 200;

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
    isPacedByServer: true,
  });
  const logOf = (run: RunContext) => dependencies.runLogs.for(run.store, run.config.output.log_level);

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
    // A step that cannot be taken now is taken by a later attempt, which finds the reply.
    const taken = stepping.catch(() => null);
    const quick = await Promise.race([taken, sleep(QUICK_STEP, null, { ref: false })]);
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

  async function answer(input: GenerateInput, attempt: Attempt): Promise<StoredCall> {
    const run = await runs.get(input.run);
    const model = calledModel(run);
    const asked = models.prepare(model, input.call, input);
    const stored = await run.calls.find(input.call, asked.key);
    if (stored !== null) return recall(run, stored, input.step);
    const { record, share } = await models.ask(model, asked, attempt);
    const kept = await keep(run, record, input.step);
    await share();
    return kept;
  }

  return {
    generate: (input) => Attempt.run(async (attempt) => replyOf(await answer(input, attempt))),
  };
}
