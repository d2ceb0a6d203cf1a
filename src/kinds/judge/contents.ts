import type { StoredCall } from '../../activities/call-store.js';
import type { FolderContents } from '../../activities/folder-contents.js';
import type { MakeRoom } from '../../activities/reopen.js';
import { setAside } from '../../activities/set-aside.js';
import type { CallRecord } from '../../contracts/language-model.js';
import { groupBy } from '../../statistics/group-by.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { callsPrefix } from '../../storage/paths.js';
import { keysBelow, recordsBelow } from '../../storage/read-ahead.js';
import { readStoredConfig } from '../../storage/stored-config.js';
import { storedJudgeConfig } from './activities/judge-context.js';
import { verdictOf } from './activities/judge-replies.js';
import { JudgedTrajectories } from './activities/judged-trajectories.js';
import { MALFORMED_VERDICT, MAX_TRIES } from './judging/verdict.js';
import { judgedStepOf, judgeErrorsPrefix } from './paths.js';
import type { JudgeConfig } from './schema.js';

/** Counts the steps with a verdict, and those that were given up. */
export async function contentsOfJudgement(store: ArtifactStore): Promise<FolderContents> {
  const config = (await readStoredConfig(store)) as JudgeConfig | null;
  if (config === null) return {};
  const judged = new Set<string>();
  for await (const { record } of recordsBelow<StoredCall>(store, callsPrefix())) {
    if (verdictOf(config, record).ok) judged.add(record.sample_id);
  }
  const trajectories = new JudgedTrajectories(store);
  let errors = 0;
  for (const key of await keysBelow(store, judgeErrorsPrefix())) {
    const { trajectory, step } = judgedStepOf(key);
    const { name } = await trajectories.get(trajectory);
    if (!judged.has(`${name}/${step}`)) errors += 1;
  }
  return { steps: judged.size, errors };
}

/**
 * Sets aside the replies on every step whose tries all failed, so that it is requested from the beginning. A step
 * without a reply is requested in any case.
 */
export const makeRoomInJudgement: MakeRoom = async (store, isNew) => {
  if (!isNew({ type: MALFORMED_VERDICT, message: '' })) return;
  const config = await storedJudgeConfig(store);
  const replies: CallRecord[] = [];
  for await (const { record } of recordsBelow<StoredCall>(store, callsPrefix())) replies.push(record);
  for (const given of groupBy(replies, ({ sample_id }) => sample_id).values()) {
    const isJudged = given.length < MAX_TRIES || given.some((record) => verdictOf(config, record).ok);
    if (!isJudged) for (const record of given) await setAside(store, { call: record, at: record.at });
  }
};
