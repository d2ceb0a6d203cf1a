import type { CallRecord } from '../contracts/language-model.js';
import type { ResultRow } from '../contracts/results.js';
import type { Chat, TimeStep, Trajectory } from './schema.js';

function chat(call: CallRecord): Chat {
  const reply = {
    role: 'assistant' as const,
    content: call.text,
    ...(call.tool_calls === undefined ? {} : { tool_calls: call.tool_calls }),
  };
  return { messages: [...call.messages, reply], logprobs: null, top_tokens: null, token_top_logprobs: null };
}

/** Deals an episode's calls to its steps. What an agent asks after the last step, such as a reflection, stays with it. */
function callsByStep(calls: readonly CallRecord[], steps: number): [step: number, calls: CallRecord[]][] {
  const dealt = new Map<number, CallRecord[]>();
  for (const call of calls) {
    const step = Math.min(call.step ?? 0, Math.max(steps - 1, 0));
    dealt.set(step, [...(dealt.get(step) ?? []), call]);
  }
  return [...dealt.entries()].sort(([left], [right]) => left - right);
}

/** The trajectory of a finished episode; null where no call was answered, because a step needs a chat. */
export function trajectoryOf(row: ResultRow, calls: readonly CallRecord[], seed: number): Trajectory | null {
  const dealt = callsByStep(calls, row.steps);
  if (dealt.length === 0) return null;
  const timesteps = dealt.map(([step, stepCalls], index): TimeStep => {
    const last = index === dealt.length - 1;
    const record = row.step_records?.[step];
    const judged = record?.feedback ?? (last ? row.feedback : null);
    const stepReward = record === undefined ? row.reward : record.reward;
    return {
      chats: stepCalls.map(chat),
      reward: judged === null || row.error !== null ? null : stepReward,
      mc_return: null,
      done: last,
      available_tool_schemas: null,
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
