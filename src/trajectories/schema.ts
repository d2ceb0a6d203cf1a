import { z } from 'zod';
import type { Frozen } from './frozen.js';
import { messageSchema } from './message.js';

/*
 * Schemas of a trajectory's data, with the field names of the specification. Reading is tolerant, as pydantic's is by
 * default: a field with a default may be absent, and unknown fields are dropped. Written data has every field.
 */

/** A complete exchange with a language model. */
export const chatSchema = z.object({
  messages: z.array(messageSchema),
  /** Values for the reply's tokens, as the provider sent them; the prompt's tokens have none. */
  logprobs: z.array(z.number()).nullable().default(null),
  top_tokens: z.array(z.array(z.string())).nullable().default(null),
  token_top_logprobs: z.array(z.array(z.number())).nullable().default(null),
  token_ids: z.array(z.int()).optional(),
});

const jsonObject = z.record(z.string(), z.unknown());

/** One step of the environment with all exchanges that led to it. */
export const timeStepSchema = z.object({
  chats: z.array(chatSchema).min(1, 'a step needs at least one chat'),
  /** Reward given directly after the chats; null where it is unknown. */
  reward: z.number().nullable().default(null),
  mc_return: z.number().nullable().default(null),
  /** True if the environment is in a terminal state. */
  done: z.boolean().default(false),
  /** True if a limit or an error cut the episode here, in a state that is not terminal (Gymnasium's `truncated`). */
  truncated: z.boolean().default(false),
  available_tool_schemas: z.array(jsonObject).nullable().default(null),
  advantage: z.number().nullable().default(null),
});

/** A whole episode for training. A row of `trajectories.jsonl`. */
export const trajectorySchema = z.object({
  timesteps: z.array(timeStepSchema).min(1, 'a trajectory needs at least one step'),
  reset_kwargs: jsonObject.default({}),
  /** Error with `error_type`, `message`, `traceback`. */
  error_info: z.record(z.string(), z.string()).nullable().default(null),
  episode_id: z.string().nullable().default(null),
  schema_version: z.literal(1).default(1),
});

export const judgedValueSchema = z.union([z.number(), z.boolean(), z.string(), jsonObject]);

/** A judge's response: a number, a boolean, a text or an object under each name. */
const judgeResponseSchema = z.record(z.string(), judgedValueSchema).nullable().default(null);

export const llmEvaluatedTimeStepSchema = timeStepSchema.extend({ judge_response: judgeResponseSchema });

export const llmEvaluatedTrajectorySchema = trajectorySchema.extend({
  timesteps: z.array(llmEvaluatedTimeStepSchema).min(1, 'a trajectory needs at least one step'),
  judge_response: judgeResponseSchema,
  /** ARE's evaluation of a trajectory before it was judged or converted; absent where there is none. */
  are_evaluation: jsonObject.optional(),
});

export const areEvaluatedTrajectorySchema = trajectorySchema.extend({
  /** Fields: `success`, `rationale`, `judge_model`, `oracle_matching_failures`, `duration` in seconds. */
  are_evaluation: jsonObject,
});

/** Task of an agent in an episode. */
export const taskSchema = z.object({
  task_id: z.string(),
  /** Prompt, instructions or images. */
  inputs: jsonObject.default({}),
  /** Criteria and expected outcomes. */
  eval_criteria: jsonObject.default({}),
  /** Difficulty, category, source and the like. */
  metadata: jsonObject.default({}),
});

export type ChatData = Frozen<z.output<typeof chatSchema>>;
export type TimeStepData = Frozen<z.output<typeof timeStepSchema>>;
export type TrajectoryData = Frozen<z.output<typeof trajectorySchema>>;
export type JudgeResponse = Frozen<z.output<typeof judgeResponseSchema>>;
export type LLMEvaluatedTimeStepData = Frozen<z.output<typeof llmEvaluatedTimeStepSchema>>;
export type LLMEvaluatedTrajectoryData = Frozen<z.output<typeof llmEvaluatedTrajectorySchema>>;
export type AREEvaluatedTrajectoryData = Frozen<z.output<typeof areEvaluatedTrajectorySchema>>;
export type TaskData = Frozen<z.output<typeof taskSchema>>;
