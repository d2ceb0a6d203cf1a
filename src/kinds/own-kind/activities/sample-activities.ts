import { ApplicationFailure } from '@temporalio/common';
import { Attempt } from '../../../activities/attempt.js';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { refusedUnstored } from '../../../activities/call-failures.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type { EpisodeError } from '../../../contracts/results.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import { EmptyReplyError, emptyReplyText } from '../../../replies/reply-faults.js';
import { addStep, costOfCall, noStepCost } from '../../../runtime/step-cost.js';
import { isRetried } from '../../../storage/retry-marker.js';
import { readJson } from '../../../storage/stored-file.js';
import type {
  AskForSampleInput,
  SampleErrorInput,
  SampleName,
  SampleWorked,
  WorkOnSampleInput,
} from '../contracts.js';
import type { Row } from '../define.js';
import { KindError } from '../definition.js';
import { sampleErrorKey, sampleKey } from '../paths.js';
import {
  EMPTY_REPLY,
  isEmptyRecord,
  type OwnKindContext,
  type OwnKindContexts,
  type SamplePass,
} from './own-kind-context.js';

/** Stored result of a sample that has ended. */
export interface StoredSample {
  row: Row;
  cost: StepCost;
}

/** Throws the stored error of a sample that is not to be retried. */
async function refuseOthers({ store, retry }: OwnKindContext, sample: number): Promise<void> {
  if (retry === null || retry.types === null) return;
  const error = await readJson<EpisodeError>(store, sampleErrorKey(sample));
  if (error === null || isRetried(retry, error.type)) return;
  throw ApplicationFailure.nonRetryable(error.message, error.type);
}

/** Runs the kind's code. An error that it throws is the sample's error: a retry would throw it again. */
async function passOver(context: OwnKindContext, sample: number, models: ModelCalls): Promise<SamplePass> {
  try {
    return await context.pass(sample, models);
  } catch (error) {
    if (!(error instanceof KindError || error instanceof EmptyReplyError)) throw error;
    throw ApplicationFailure.nonRetryable(error.message, error.name);
  }
}

/** Creates the activity that runs the kind's code on a sample with the stored replies, and stores its row. */
export function createWorkOnSample(contexts: OwnKindContexts, models: ModelCalls) {
  return ({ run, sample, answered }: WorkOnSampleInput): Promise<SampleWorked> =>
    heartbeating(async () => {
      const context = await contexts.get(run);
      const kept = await readJson<StoredSample>(context.store, sampleKey(sample));
      if (kept !== null) {
        const { row, cost } = kept;
        return { kind: 'ended', scores: row.scores ?? {}, ...(answered === 0 ? { cost } : {}) };
      }
      if (answered === 0) await refuseOthers(context, sample);
      const { calls, row } = await passOver(context, sample, models);
      if (row === null) return { kind: 'asks', asked: calls.length, due: dueOf(calls, answered) };
      const costs = calls.flatMap(({ record }) => (record === null ? [] : [costOfCall(record)]));
      const stored: StoredSample = { row, cost: costs.reduce(addStep<StepCost>, noStepCost()) };
      await context.store.write(sampleKey(sample), JSON.stringify(stored));
      return { kind: 'ended', scores: row.scores ?? {} };
    });
}

/** Returns the calls without a reply. @throws ApplicationFailure if the question of an answered call has changed. */
function dueOf(calls: SamplePass['calls'], answered: number): { ordinal: number; role: string }[] {
  const due = calls.flatMap(({ role, record }, ordinal) => (record === null ? [{ ordinal, role }] : []));
  const changed = due.find(({ ordinal }) => ordinal < answered);
  if (changed === undefined) return due;
  throw ApplicationFailure.nonRetryable(
    `the kind’s code asks something else each time it is run (call ${changed.ordinal + 1}): take chance from random, and no time of day`,
    KindError.name,
  );
}

/** Creates the activity that makes a call of the kind's code. Its reply is stored first, and requested only once. */
export function createAskForSample(contexts: OwnKindContexts, models: ModelCalls) {
  return ({ run, sample, ordinal, before, stored_only }: AskForSampleInput): Promise<StepCost> =>
    Attempt.run(async (attempt) => {
      const context = await contexts.get(run);
      const call = (await passOver(context, sample, models)).calls[ordinal];
      if (call === undefined) {
        throw ApplicationFailure.nonRetryable(
          `the kind’s code does not make call ${ordinal + 1} any more`,
          KindError.name,
        );
      }
      const model = context.model(call.role);
      if (call.record !== null) {
        const { record } = await models.found(model, { record: call.record, answer: null }, attempt);
        return attempt.costOf(record);
      }
      if (stored_only) throw refusedUnstored('a sample');
      const record = await models.askAndKeep(model, call, attempt, (reply) => context.calls.save(reply));
      if (isEmptyRecord(record)) {
        throw ApplicationFailure.create({
          type: EMPTY_REPLY,
          message: emptyReplyText(record),
          details: [attempt.costOf(record)],
          nonRetryable: true,
        });
      }
      return attempt.costOf(record);
    }, before);
}

/** Creates the activity that records why a sample was given up. */
export function createRecordSampleError(contexts: OwnKindContexts) {
  return ({ run, sample, error }: SampleErrorInput): Promise<void> =>
    heartbeating(async () => {
      const context = await contexts.get(run);
      context.log('sample').warn({ sample, error }, 'a sample was given up');
      await context.store.write(sampleErrorKey(sample), JSON.stringify(error));
    });
}

/** Reads the stored result of a sample; null if it has not ended. */
export function storedSample({ store }: OwnKindContext, { sample }: Pick<SampleName, 'sample'>) {
  return readJson<StoredSample>(store, sampleKey(sample));
}
