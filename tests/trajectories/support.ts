import { NO_TOKENS } from '../../src/trajectories/chat.js';
import type { Message } from '../../src/trajectories/message.js';
import type { TimeStepData, TrajectoryData } from '../../src/trajectories/schema.js';

export const system = (content: string): Message => ({ role: 'system', content });
export const user = (content: string): Message => ({ role: 'user', content });
export const assistant = (content: string): Message => ({ role: 'assistant', content });
export const toolResult = (tool_call_id: string, content: string): Message => ({
  role: 'tool',
  content,
  tool_call_id,
});

/** An assistant message that calls tools: `[id, name, arguments]` each. */
export function calling(...calls: [id: string, name: string, text: string][]): Message {
  return {
    role: 'assistant',
    content: '',
    tool_calls: calls.map(([id, name, text]) => ({ id, name, arguments: text })),
  };
}

/** A user message of a text and images. */
export function showing(text: string, ...images: string[]): Message {
  return {
    role: 'user',
    content: [{ type: 'text', text }, ...images.map((image) => ({ type: 'image' as const, image }))],
  };
}

/** A step of one chat for each list of messages. */
export function step(chats: Message[][], fields: Partial<TimeStepData> = {}): TimeStepData {
  return {
    chats: chats.map((messages) => ({ messages, ...NO_TOKENS })),
    reward: null,
    mc_return: null,
    done: false,
    truncated: false,
    available_tool_schemas: null,
    advantage: null,
    ...fields,
  };
}

export function trajectory(timesteps: TimeStepData[], fields: Partial<TrajectoryData> = {}): TrajectoryData {
  return {
    timesteps,
    reset_kwargs: { task_id: 't1', trial: 0 },
    error_info: null,
    episode_id: 't1/0',
    schema_version: 1,
    ...fields,
  };
}

/** An episode of a task with a reward for each step. */
export function episode(
  task_id: string,
  rewards: (number | null)[],
  fields: Partial<TrajectoryData> = {},
): TrajectoryData {
  const timesteps = rewards.map((reward) => step([[user('question'), assistant('reply')]], { reward }));
  return trajectory(timesteps, { reset_kwargs: { task_id }, ...fields });
}

export const FAILED = { error_type: 'timeout', message: 'late', traceback: '' };
