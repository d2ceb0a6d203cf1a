import { Chat, type ChatInput } from './chat.js';
import type { Frozen } from './frozen.js';
import { read, trust } from './read.js';
import {
  chatSchema,
  type JudgeResponse,
  type LLMEvaluatedTimeStepData,
  llmEvaluatedTimeStepSchema,
  type TimeStepData,
  timeStepSchema,
} from './schema.js';

/** Input of a step: chats, as instances or as data, and any other fields. */
export type TimeStepInput = { readonly chats: readonly (Chat | ChatInput)[] } & Partial<
  Omit<TimeStepData, 'chats'>
>;
export type LLMEvaluatedTimeStepInput = TimeStepInput &
  Partial<Pick<LLMEvaluatedTimeStepData, 'judge_response'>>;

/** One transition of an episode: all exchanges with a model during the step, and its outcome. Immutable. */
export class TimeStep implements TimeStepData {
  /** At least one chat. */
  readonly chats: readonly Chat[];
  readonly reward: number | null;
  readonly mc_return: number | null;
  /** True if the environment is in a terminal state after the step. */
  readonly done: boolean;
  /** True if a limit or an error cut the episode here, which is not a terminal state. */
  readonly truncated: boolean;
  readonly available_tool_schemas: Frozen<Record<string, unknown>[]> | null;
  readonly advantage: number | null;

  /** Throws `InvalidTrajectoryError` where the input is not a valid step. */
  constructor(input: TimeStepInput) {
    const data = read(timeStepSchema, input, 'time step');
    this.chats = data.chats.map((chat) => new Chat(trust(chat, chatSchema)));
    this.reward = data.reward;
    this.mc_return = data.mc_return;
    this.done = data.done;
    this.truncated = data.truncated;
    this.available_tool_schemas = data.available_tool_schemas;
    this.advantage = data.advantage;
    Object.freeze(this.chats);
    if (new.target === TimeStep) Object.freeze(this);
  }

  /** Parses a step from a JSON value. */
  static parse(value: unknown): TimeStep {
    return new TimeStep(value as TimeStepInput);
  }

  toJSON(): TimeStepData {
    const { reward, mc_return, done, truncated, available_tool_schemas, advantage } = this;
    const chats = this.chats.map((chat) => chat.toJSON());
    return { chats, reward, mc_return, done, truncated, available_tool_schemas, advantage };
  }
}

/** A step with the response of the language model that judged it. */
export class LLMEvaluatedTimeStep extends TimeStep implements LLMEvaluatedTimeStepData {
  readonly judge_response: JudgeResponse;

  constructor(input: LLMEvaluatedTimeStepInput) {
    const { judge_response, ...step } = read(llmEvaluatedTimeStepSchema, input, 'judged time step');
    super(trust(step, timeStepSchema));
    this.judge_response = judge_response;
    if (new.target === LLMEvaluatedTimeStep) Object.freeze(this);
  }

  static override parse(value: unknown): LLMEvaluatedTimeStep {
    return new LLMEvaluatedTimeStep(value as LLMEvaluatedTimeStepInput);
  }

  static fromTimeStep(step: TimeStep, judge_response: JudgeResponse): LLMEvaluatedTimeStep {
    return new LLMEvaluatedTimeStep({ ...step.toJSON(), judge_response });
  }

  override toJSON(): LLMEvaluatedTimeStepData {
    return { ...super.toJSON(), judge_response: this.judge_response };
  }
}
