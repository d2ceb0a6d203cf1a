import { ApplicationFailure } from '@temporalio/common';
import { Attempt } from '../../../activities/attempt.js';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { refusedUnstored } from '../../../activities/call-failures.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { EpisodeError } from '../../../contracts/results.js';
import { costOfCall } from '../../../runtime/step-cost.js';
import { isRetried } from '../../../storage/retry-marker.js';
import { missingFile, readJson } from '../../../storage/stored-file.js';
import type { JudgedStep, JudgeStepErrorInput, JudgeStepInput } from '../contracts.js';
import { verdictScores } from '../judging/evaluation.js';
import { judgeErrorKey } from '../paths.js';
import type { JudgeContext, JudgeContexts } from './judge-context.js';
import { type JudgeReply, repliesOn, verdictOf } from './judge-replies.js';

/** Reduces a reply to what a workflow needs. */
export function judgedStep({ record, read }: JudgeReply, cost = costOfCall(record)): JudgedStep {
  return read.ok
    ? { kind: 'judged', scores: verdictScores(read.verdict), ...cost }
    : { kind: 'malformed', ...cost };
}

/** Throws the error of a step that the current retry does not cover. */
async function refuseOthers(
  { store, retry }: JudgeContext,
  { trajectory, step }: JudgeStepInput,
): Promise<void> {
  if (retry === null || retry.types === null) return;
  const error = await readJson<EpisodeError>(store, judgeErrorKey(trajectory, step));
  if (error === null || isRetried(retry, error.type)) return;
  throw ApplicationFailure.nonRetryable(error.message, error.type);
}

/**
 * Creates the activity that requests the verdict on a step. A reply is stored before it is returned, and never
 * requested again.
 */
export function createJudgeStep(contexts: JudgeContexts, models: ModelCalls) {
  async function ask(context: JudgeContext, input: JudgeStepInput, attempt: Attempt): Promise<JudgeReply> {
    const { replies, next } = await repliesOn(context, models, input, input.attempt + 1);
    const kept = replies[input.attempt];
    if (kept !== undefined) {
      const stored = { record: kept.record, answer: null };
      const { record } = await models.found(context.judge, stored, attempt);
      return { ...kept, record };
    }
    if (replies.length < input.attempt) {
      throw missingFile(context.store, 'a reply on a step', null);
    }
    if (input.stored_only) throw refusedUnstored('a step');
    await refuseOthers(context, input);
    const asked = models.prepare(context.judge, next.call, { messages: next.messages });
    const record = await models.askAndKeep(context.judge, asked, attempt, (reply) =>
      context.calls.save(reply),
    );
    return { record, read: verdictOf(context.config, record) };
  }

  return (input: JudgeStepInput): Promise<JudgedStep> =>
    Attempt.run(async (attempt) => {
      const context = await contexts.get(input.run);
      const reply = await ask(context, input, attempt);
      if (!reply.read.ok) {
        const { trajectory, step } = input;
        context
          .log('judge')
          .warn({ trajectory, step, attempt: input.attempt, fault: reply.read.fault }, 'no verdict');
      }
      return judgedStep(reply, attempt.costOf(reply.record));
    }, input.before);
}

/** Creates the activity that records why a step could not be judged. */
export function createRecordJudgeError(contexts: JudgeContexts) {
  return ({ run, trajectory, step, error }: JudgeStepErrorInput): Promise<void> =>
    heartbeating(async () => {
      const context = await contexts.get(run);
      context.log('judge').warn({ trajectory, step, error }, 'a step could not be judged');
      await context.store.write(judgeErrorKey(trajectory, step), JSON.stringify(error));
    });
}
