import { InvalidInputError } from '../config/errors.js';
import type { JudgeConfig } from '../config/judge-schema.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { EpisodeError } from '../contracts/results.js';
import { MALFORMED_VERDICT, MOST_TRIES } from '../judging/verdict.js';
import { groupBy } from '../statistics/group-by.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callsPrefix, everyPartPrefix, rolloutsFolder } from '../storage/paths.js';
import { keysBelow, recordsBelow } from '../storage/read-ahead.js';
import { isRetried, type Retry, readRetry, writeRetry } from '../storage/retry-marker.js';
import { agentCalls } from './agent-eval/recorded-calls.js';
import { ROLLOUT_ERRORS } from './agent-eval/rollout-failures.js';
import type { StoredResult } from './agent-eval/rollout-results.js';
import { CallStore, type StoredCall } from './call-store.js';
import { verdictOf } from './judge/judge-replies.js';
import { type EpisodeLine, MergedParts } from './part-file.js';
import { mayBlameReply, setAside } from './set-aside.js';
import { storedConfig } from './stored-config.js';

/** Whether an error is to be asked again that was not yet. */
type IsNew = (error: EpisodeError) => boolean;

/** What a retry does to a kind of experiment before it is continued: replies that are to blame make room for others. */
type MakeRoom = (store: ArtifactStore, isNew: IsNew) => Promise<void>;

/** Rows and calls of a folder that has none cannot be told from each other any more. */
function withoutRows({ uri }: ArtifactStore): InvalidInputError {
  return new InvalidInputError(
    `${uri} holds its results and nothing to go on from; the command that started it begins anew`,
  );
}

async function makeRoomIn(store: ArtifactStore, { row, calls }: EpisodeLine): Promise<void> {
  const { error, unjudged } = row;
  const newest = [...calls].sort((left, right) => Date.parse(left.at) - Date.parse(right.at)).at(-1);
  // What could not be judged was answered all the same.
  if (error === null || unjudged !== undefined || newest === undefined || !mayBlameReply(error)) return;
  await setAside(store, { call: newest, at: newest.at });
}

/** Every error row of a sample whose last one is asked again. */
export const makeRoomInRun: MakeRoom = async (store, isNew) => {
  const parts = await MergedParts.open(store, await keysBelow(store, everyPartPrefix()));
  let isEmpty = true;
  for await (const lines of parts.samples()) {
    isEmpty = false;
    const error = lines.at(-1)?.row.error;
    if (error == null || !isNew(error)) continue;
    for (const line of lines) await makeRoomIn(store, line);
  }
  if (isEmpty) throw withoutRows(store);
};

/** A rollout goes on from where its error came up; only a reply that is empty or cut off is asked for once more. */
export const makeRoomInAgentEval: MakeRoom = async (store, isNew) => {
  const calls = new CallStore(store);
  let isEmpty = true;
  for await (const { row } of recordsBelow<StoredResult>(store, `${rolloutsFolder()}/`)) {
    isEmpty = false;
    const { status, error, task_id, trial } = row;
    const isOfReply = error?.type === ROLLOUT_ERRORS.emptyReply || error?.type === ROLLOUT_ERRORS.cutOff;
    if (status !== 'error' || error === null || !isOfReply || !isNew(error)) continue;
    const newest = (await agentCalls(calls, { row: task_id, rollout: trial })).at(-1);
    if (newest !== undefined) await setAside(store, { call: newest, at: newest.at });
  }
  if (isEmpty) throw withoutRows(store);
};

/** A step whose replies were no verdict is asked from the beginning; one without a reply is asked in any case. */
export const makeRoomInJudgement: MakeRoom = async (store, isNew) => {
  if (!isNew({ type: MALFORMED_VERDICT, message: '' })) return;
  const config = await storedConfig<JudgeConfig>(store);
  const replies: CallRecord[] = [];
  for await (const { record } of recordsBelow<StoredCall>(store, callsPrefix())) replies.push(record);
  for (const given of groupBy(replies, ({ sample_id }) => sample_id).values()) {
    const isJudged = given.length < MOST_TRIES || given.some((record) => verdictOf(config, record).ok);
    if (!isJudged) for (const record of given) await setAside(store, { call: record, at: record.at });
  }
};

/**
 * Opens an experiment that was gone through again: it is unfinished then, and what continues it asks the rows with these
 * errors. May be repeated; an error row of a retry that goes on is not asked twice.
 * @param types null: any.
 */
export async function reopen(
  store: ArtifactStore,
  types: string[] | null,
  makeRoom: MakeRoom,
): Promise<Retry> {
  const before = await readRetry(store);
  const retry: Retry = { types, at: before?.at ?? new Date().toISOString() };
  await makeRoom(
    store,
    ({ type }) => isRetried(retry, type) && (before === null || !isRetried(before, type)),
  );
  await writeRetry(store, retry);
  return retry;
}
