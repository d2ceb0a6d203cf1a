import type { ModelCalls } from '../../../activities/model-calls.js';
import type { CallIdentity, CallRecord, ChatMessage } from '../../../contracts/language-model.js';
import { cutOffText, isCutOff } from '../../../replies/reply-faults.js';
import type { JudgeStepName } from '../contracts.js';
import { askedAgain, judgePrompt } from '../judging/prompt.js';
import { MAX_TRIES, type ReadVerdict, readVerdict } from '../judging/verdict.js';
import type { JudgeConfig } from '../schema.js';
import type { JudgeContext } from './judge-context.js';

/** Reply on a step, and the verdict that was read from it. */
export interface JudgeReply {
  record: CallRecord;
  read: ReadVerdict;
}

/** Stored replies on a step, and the next call. */
export interface StepReplies {
  replies: JudgeReply[];
  next: { call: CallIdentity; messages: ChatMessage[] };
}

/** Reads the verdict in a reply. A reply that a token limit cut off has none, unless `lm.on_cut_off` is `judge`. */
export function verdictOf({ rubric, lm }: JudgeConfig, record: CallRecord): ReadVerdict {
  const read = readVerdict(record.text, rubric.criteria);
  if (!isCutOff(record) || (read.ok && lm.on_cut_off === 'judge')) return read;
  const cause = `${cutOffText(record)}.`;
  return { ok: false, fault: read.ok ? `T${cause.slice(1)}` : `${read.fault} T${cause.slice(1)}` };
}

/**
 * Returns the stored replies on a step, in order, up to the first verdict. A reply to a prompt other than the current
 * one does not count.
 * @param most limit of replies; later ones are left out.
 */
export async function repliesOn(
  context: JudgeContext,
  models: ModelCalls,
  { trajectory: index, step }: Pick<JudgeStepName, 'trajectory' | 'step'>,
  most: number = MAX_TRIES,
): Promise<StepReplies> {
  const { rubric } = context.config;
  const { name, trajectory } = await context.trajectories.get(index);
  const callAt = (ordinal: number): CallIdentity => ({
    sample_id: `${name}/${step}`,
    trial: 0,
    purpose: 'judge',
    ordinal,
  });
  let messages = judgePrompt(rubric, trajectory, step);
  const replies: JudgeReply[] = [];
  while (replies.length < most) {
    const asked = models.prepare(context.judge, callAt(replies.length), { messages });
    const stored = await context.calls.find(asked.request.call, asked.key);
    if (stored === null) break;
    const { record } = stored;
    const read = verdictOf(context.config, record);
    replies.push({ record, read });
    if (read.ok) break;
    messages = askedAgain(messages, record.text, read.fault);
  }
  return { replies, next: { call: callAt(replies.length), messages } };
}
