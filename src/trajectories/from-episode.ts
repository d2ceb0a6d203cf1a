import type { CallRecord, ChatMessage, ToolCall } from '../contracts/language-model.js';
import type { ResultRow } from '../contracts/results.js';
import { groupBy } from '../statistics/group-by.js';
import { sumOf } from '../statistics/sums.js';
import { NO_TOKENS } from './chat.js';
import type { ChatData, TimeStepData, TrajectoryData } from './schema.js';
import { nestedTool, nestedToolCall } from './tool-calls.js';

/** Converts messages to the form for chat templates: calls as functions, and a tool's message with the tool's name. */
function messagesOf(messages: readonly ChatMessage[]): ChatData['messages'] {
  const names = new Map<string, string>();
  return messages.map(({ role, content: text, images = [], tool_calls, tool_call_id }) => {
    const shown = images.map(({ key }) => ({ type: 'image' as const, image: key }));
    const content = shown.length === 0 ? text : [...shown, { type: 'text' as const, text }];
    if (role === 'tool') {
      const name = names.get(tool_call_id ?? '');
      return { role, content, tool_call_id, ...(name === undefined ? {} : { name }) };
    }
    if (role !== 'assistant' || tool_calls === undefined) return { role, content };
    for (const { id, name } of tool_calls) names.set(id, name);
    return { role, content, tool_calls: callsOf(tool_calls) };
  });
}

const callsOf = (calls: readonly ToolCall[]) => calls.map((call) => nestedToolCall(call));

/** Converts a call to a chat: its messages, and the reply with its reasoning and tokens. */
export function chatOf({ messages, text, reasoning, tool_calls, tokens }: CallRecord): ChatData {
  const reply = {
    role: 'assistant' as const,
    content: text,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(tool_calls === undefined ? {} : { tool_calls: callsOf(tool_calls) }),
  };
  return {
    messages: [...messagesOf(messages), reply],
    ...NO_TOKENS,
    ...(tokens === undefined
      ? {}
      : {
          logprobs: tokens.logprobs ?? null,
          top_tokens: tokens.top_tokens ?? null,
          token_top_logprobs: tokens.top_logprobs ?? null,
          ...(tokens.token_ids === undefined ? {} : { token_ids: tokens.token_ids }),
        }),
  };
}

/** Returns whether an episode ends with a step, in a terminal state or cut before one. */
export function endOf(isLast: boolean, isCut: boolean): Pick<TimeStepData, 'done' | 'truncated'> {
  return { done: isLast && !isCut, truncated: isLast && isCut };
}

/** Groups the calls by step. Calls after the last step, such as a reflection, belong to that step. */
function callsByStep(calls: readonly CallRecord[], steps: number): [step: number, calls: CallRecord[]][] {
  const dealt = groupBy(calls, ({ step = 0 }) => Math.min(step, Math.max(steps - 1, 0)));
  return [...dealt].sort(([left], [right]) => left - right);
}

/** Returns the reward of each step; null where the episode was not judged. */
function rewardsOf({ error, steps, step_records, reward }: ResultRow): number[] | null {
  if (error !== null || steps === 0) return null;
  return step_records?.map((record) => record.reward) ?? [reward ?? 0];
}

/**
 * Collects the distinct tools that a step's calls offered, in the form for chat templates, in the order of their first
 * use; null where there was none.
 */
export function offeredTools(calls: readonly CallRecord[]): TimeStepData['available_tool_schemas'] {
  const offered = new Map(
    calls.flatMap(({ tools = [] }) => tools).map((tool) => [JSON.stringify(tool), tool]),
  );
  return offered.size === 0
    ? null
    : [...offered.values()].map((tool) => ({ ...(nestedTool({ ...tool }) ?? tool) }));
}

/**
 * Builds the trajectory of a finished episode; null where no call was answered, because a step needs a chat. The reward
 * of a step without calls is added to the step before it, whose reply it executes (before the first call, to the
 * first), so that the rewards always sum to the episode's.
 */
export function trajectoryOf(
  row: ResultRow,
  calls: readonly CallRecord[],
  seed: number,
): TrajectoryData | null {
  // What graded the answer is no act of the agent.
  const dealt = callsByStep(
    calls.filter(({ purpose }) => purpose !== 'grade'),
    row.steps,
  );
  if (dealt.length === 0) return null;
  const rewards = rewardsOf(row);
  const timesteps = dealt.map(([step, stepCalls], index): TimeStepData => {
    const [from, to] = [index === 0 ? 0 : step, dealt[index + 1]?.[0]];
    return {
      chats: stepCalls.map(chatOf),
      reward: rewards === null ? null : sumOf(rewards.slice(from, to)),
      mc_return: null,
      ...endOf(index === dealt.length - 1, row.truncated === true),
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
