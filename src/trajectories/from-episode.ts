import type { CallRecord } from '../contracts/language-model.js';
import type { ResultRow } from '../contracts/results.js';
import { groupBy } from '../statistics/group-by.js';
import type { ChatData, TimeStepData, TrajectoryData } from './schema.js';

/** A call as a chat: what was asked, and the reply. */
export function chatOf(call: CallRecord): ChatData {
  const reply = {
    role: 'assistant' as const,
    content: call.text,
    ...(call.tool_calls === undefined ? {} : { tool_calls: call.tool_calls }),
  };
  return { messages: [...call.messages, reply], logprobs: null, top_tokens: null, token_top_logprobs: null };
}

/** The calls of each step that has some. What an agent asks after the last step, such as a reflection, stays with it. */
function callsByStep(calls: readonly CallRecord[], steps: number): [step: number, calls: CallRecord[]][] {
  const dealt = groupBy(calls, ({ step = 0 }) => Math.min(step, Math.max(steps - 1, 0)));
  return [...dealt].sort(([left], [right]) => left - right);
}

/** The reward of each step; null where the episode was not judged. */
function rewardsOf({ error, steps, step_records, reward }: ResultRow): number[] | null {
  if (error !== null || steps === 0) return null;
  return step_records?.map((record) => record.reward) ?? [reward ?? 0];
}

/** The different tools that a step's calls offered, in the order in which they came up; null where there was none. */
export function offeredTools(calls: readonly CallRecord[]): TimeStepData['available_tool_schemas'] {
  const offered = new Map(
    calls.flatMap(({ tools = [] }) => tools).map((tool) => [JSON.stringify(tool), tool]),
  );
  return offered.size === 0 ? null : [...offered.values()].map((tool) => ({ ...tool }));
}

/**
 * The trajectory of a finished episode; null where no call was answered, because a step needs a chat. The reward of a
 * step that no call led to is counted with the step before it, whose reply it carries out (before the first call, with
 * the first), so the rewards always sum to the episode's.
 */
export function trajectoryOf(
  row: ResultRow,
  calls: readonly CallRecord[],
  seed: number,
): TrajectoryData | null {
  const dealt = callsByStep(calls, row.steps);
  if (dealt.length === 0) return null;
  const rewards = rewardsOf(row);
  const timesteps = dealt.map(([step, stepCalls], index): TimeStepData => {
    const [from, to] = [index === 0 ? 0 : step, dealt[index + 1]?.[0]];
    return {
      chats: stepCalls.map(chatOf),
      reward: rewards === null ? null : rewards.slice(from, to).reduce((sum, reward) => sum + reward, 0),
      mc_return: null,
      done: index === dealt.length - 1,
      available_tool_schemas: offeredTools(stepCalls),
      advantage: null,
    };
  });
  return {
    timesteps,
    reset_kwargs: { task_id: row.id, trial: row.trial, seed },
    error_info:
      row.error === null ? null : { error_type: row.error.type, message: row.error.message, traceback: '' },
    episode_id: `${row.id}/${row.trial}`,
    schema_version: 1,
  };
}
