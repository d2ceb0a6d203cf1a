import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { AttemptJournal, heartbeating } from '../../../activities/attempt-journal.js';
import { gaveUpOf } from '../../../activities/call-failures.js';
import { isLastKill } from '../../../activities/counting-kills.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import { held, THE_STORE } from '../../../activities/patiently.js';
import { sinkOf } from '../../../activities/run-log.js';
import { activityNameOf, noteUnrecorded } from '../../../activities/unrecorded.js';
import { askedOfModel } from '../../../config/pacing.js';
import type { SpendingLeft } from '../../../contracts/experiment.js';
import { FAILURE_TYPES } from '../../../contracts/names.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import type { AdaptiveLimit } from '../../../language-models/adaptive-limit.js';
import { addBeside } from '../../../runtime/beside.js';
import { keptOf, noStepCost } from '../../../runtime/step-cost.js';
import type { CallResult, FunctionProgram } from '../../../sandboxes/sandbox.js';
import { scaffoldSupport } from '../../../sandboxes/scaffold-support.js';
import { withLog } from '../../../user-code/log.js';
import type { ExecuteScaffoldInput, RunDraftInput, ScaffoldJob, ScaffoldRun } from '../contracts.js';
import { type DomainScore, ScoringError, scoreOutput } from '../evolution/domains/domain.js';
import type { DatasetExample, ScaffoldFiles } from '../evolution/types.js';
import type { EvolveContext, EvolveContexts } from './evolve-context.js';
import { type ExecutionNotes, executionNotes, largerCost } from './execution-notes.js';
import { ExecutorBridge, NothingLeftError } from './executor-bridge.js';
import { countWithoutResult, lostBy, noResult } from './no-result.js';
import { readScaffold } from './scaffold-files.js';
import { hasOutput, type ScaffoldRunRecord, scaffoldRunKeyOf } from './scaffold-runs.js';
import { draftJob, draftOf } from './scaffolder-turn.js';

/** Converts a record to the result of an activity, with the unrecorded requests of this activity alone. */
function runOf(record: ScaffoldRunRecord, { unrecorded }: StepCost): ScaffoldRun {
  const { score, result, lm_calls, usage, cost_usd } = record;
  return {
    score,
    ok: hasOutput(result),
    lm_calls,
    usage,
    cost_usd,
    ...addBeside({ ...record, unrecorded }, {}),
  };
}

/** Returns the part of the executor's section that affects a result, without its pace. */
function executorOf({ executor, models }: EvolveContext['config']): object | null {
  return models.executor === null ? null : { ...executor, model: askedOfModel(models.executor) };
}

/** Scores a result. A program that fails in any way scores 0; a scorer that fails gives no score. */
async function judge(
  context: EvolveContext,
  result: CallResult,
  { scaffold, example }: { scaffold: string; example: DatasetExample },
): Promise<DomainScore> {
  if (!hasOutput(result)) {
    return { score: 0, message: `The run failed: ${result.status}.` };
  }
  try {
    const { output } = result;
    const about = { sample: example.id, scaffold };
    const sink = sinkOf((component) => context.log(component), 'scorer', about);
    return await withLog(sink, () => scoreOutput(context.domain, output, example));
  } catch (error) {
    if (!(error instanceof ScoringError)) throw error;
    throw ApplicationFailure.nonRetryable(error.message, FAILURE_TYPES.invalidInput);
  }
}

/**
 * Creates the activities that run scaffolds, and drafts of them, on one example each, and score them. A finished run is
 * never repeated, and replies that an interrupted one received are not paid again.
 */
export function createScaffoldExecution(
  contexts: EvolveContexts,
  dependencies: WorkerDependencies,
  { models, slots }: { models: ModelCalls; slots: AdaptiveLimit },
) {
  function bridgeOf(
    { executor: model, config, store }: EvolveContext,
    job: ScaffoldJob,
    { left, notes }: { left: SpendingLeft; notes: ExecutionNotes },
  ): ExecutorBridge | null {
    if (model === null) return null;
    const { max_lm_calls_per_execution, max_tokens_per_execution } = config.executor;
    const context = Context.current();
    const { info, cancellationSignal } = context;
    const activity = activityNameOf(context);
    return new ExecutorBridge(model, models, {
      job,
      limits: { max_lm_calls: max_lm_calls_per_execution, max_tokens: max_tokens_per_execution },
      left,
      crashes: Math.max(info.attempt - 1 - notes.failures, 0),
      paid: notes.paid,
      noteUnrecorded: (unrecorded) => noteUnrecorded(store, activity, unrecorded),
      notify: dependencies.notify,
      onUnreachable: { model: models.listenerOf(model), store: dependencies.notices.listener(THE_STORE) },
      signal: cancellationSignal,
    });
  }

  async function inSandbox(
    { config }: EvolveContext,
    program: Pick<FunctionProgram, 'files' | 'input'>,
    { bridge, signal }: { bridge: ExecutorBridge | null; signal: AbortSignal },
  ): Promise<CallResult> {
    const { type, ...limits } = config.sandbox;
    const sandbox = await dependencies.sandbox(type);
    const release = await slots.acquire(signal);
    try {
      return await sandbox.call(
        { ...program, module: 'scaffold', function: 'process_input' },
        {
          limits: { ...limits, timeout_sec: config.timeout_sec },
          signal,
          respond: bridge?.respond ?? null,
          resources: () => bridge?.resources() ?? { calls: 0, usd: null },
        },
      );
    } finally {
      release('success');
    }
  }

  async function call(
    context: EvolveContext,
    job: ScaffoldJob,
    program: Pick<FunctionProgram, 'files' | 'input'>,
    asked: { left: SpendingLeft; notes: ExecutionNotes },
  ): Promise<{ result: CallResult; cost: StepCost }> {
    const { notes } = asked;
    const { timeout_sec } = context.config;
    const signal = Context.current().cancellationSignal;
    const bridge = bridgeOf(context, job, asked);
    if (bridge === null) {
      return { result: await inSandbox(context, program, { bridge, signal }), cost: noStepCost() };
    }
    const cost = () => largerCost(bridge.cost, notes.paid);
    try {
      const result = await inSandbox(context, program, { bridge, signal });
      const losses = await bridge.ended();
      const why = lostBy(losses, { result, timeout_sec });
      if (why === null) return { result, cost: cost() };
      throw countWithoutResult(notes, losses) ? noResult(job, why, cost()) : noResult(job, why);
    } catch (error) {
      // A sandbox that fails does not lose the replies in flight: the next attempt finds them.
      if (!signal.aborted) await bridge.settled();
      const gaveUp = gaveUpOf(error);
      if (gaveUp !== null) throw noResult(job, gaveUp, cost());
      if (!(error instanceof NothingLeftError)) throw error;
      throw ApplicationFailure.create({
        message: `limits: nothing is left for another call of scaffold ${job.scaffold}`,
        type: FAILURE_TYPES.limitReached,
        nonRetryable: true,
        details: [cost()],
      });
    } finally {
      bridge.close();
    }
  }

  async function execute(
    context: EvolveContext,
    job: ScaffoldJob,
    files: ScaffoldFiles,
    asked: { left: SpendingLeft; notes: ExecutionNotes },
  ): Promise<ScaffoldRun> {
    const { config } = context;
    const example = await context.examples.get(job.type, job.example);
    const key = scaffoldRunKeyOf(job, files, example, config.sandbox, config.timeout_sec, executorOf(config));
    const stored = await context.findRun(job, key);
    if (stored !== null) return runOf(stored, asked.notes.paid);
    const program = { files: { ...files, ...(await scaffoldSupport()) }, input: example.input };
    const { result, cost } = await call(context, job, program, asked).catch((error: unknown) => {
      throw isLastKill(error) ? noResult(job, error.message, asked.notes.paid) : error;
    });
    const judged = await judge(context, result, { scaffold: job.scaffold, example });
    const record: ScaffoldRunRecord = {
      ...job,
      key,
      ...judged,
      ...keptOf(cost),
      result,
      at: new Date().toISOString(),
    };
    const kept = await held(() => context.runs.save(record), {
      log: context.log('sandbox'),
      dependencies,
      what: 'store a run',
    });
    return runOf(kept, asked.notes.paid);
  }

  return {
    executeScaffold: (input: ExecuteScaffoldInput): Promise<ScaffoldRun> =>
      noting(async (notes) => {
        const context = await contexts.get(input.run);
        const { scaffold, iteration, type, example, made_in, left } = input;
        const place = { iteration: made_in, generation: 'new' as const, id: scaffold };
        const files = await readScaffold(context.store, place);
        return execute(context, { scaffold, iteration, type, example }, files, { left, notes });
      }),

    runDraft: (input: RunDraftInput): Promise<ScaffoldRun> =>
      noting(async (notes) => {
        const context = await contexts.get(input.run);
        const files = await draftOf(context, { ...input, id: input.scaffold });
        return execute(context, draftJob(input), files, { left: input.left, notes });
      }),
  };
}

/** Heartbeats, with the notes of an attempt for the next one. */
async function noting(work: (notes: ExecutionNotes) => Promise<ScaffoldRun>): Promise<ScaffoldRun> {
  const notes = executionNotes();
  try {
    return await heartbeating(() => work(notes));
  } catch (error) {
    // A worker that shuts down interrupts its calls as a crash does.
    if (!(error instanceof CancelledFailure)) notes.failures += 1;
    AttemptJournal.of().write();
    throw error;
  }
}
