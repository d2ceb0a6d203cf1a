/**
 * Trajectories for training: the data, computations on it, and export formats. Everything here is pure; callers pass
 * functions that read images and compile chat templates.
 */
export {
  type AdvantageOptions,
  Advantages,
  type GroupBaselineOptions,
  groupAdvantages,
  withAdvantages,
} from './advantages.js';
export { Chat, type ChatInput } from './chat.js';
export { type ChatTemplate, ChatTemplateError, type ChatTemplateOptions } from './chat-template.js';
export {
  AREEvaluatedTrajectory,
  type AREEvaluatedTrajectoryInput,
  EvaluatedTrajectory,
  type Evaluation,
  LLMEvaluatedTrajectory,
  type LLMEvaluatedTrajectoryInput,
  parseTrajectory,
} from './evaluated-trajectory.js';
export * from './exports/index.js';
export type { ExtractedImage, ExtractedImages, ImageLimits, ImageReader, RefusedImage } from './images.js';
export { compileChatTemplate } from './jinja.js';
export { PUBLISHED_SCHEMAS, type PublishedSchema, trajectoryJsonSchema } from './json-schema.js';
export type {
  AssistantMessage,
  ContentPart,
  ImageFilePart,
  ImagePart,
  ImageUrlPart,
  Message,
  MessageToolCall,
  SystemMessage,
  TextPart,
  ToolMessage,
  UserMessage,
} from './message.js';
export { InvalidTrajectoryError } from './read.js';
export {
  episodeReturn,
  isTruncated,
  monteCarloReturns,
  returnsOf,
  type TruncationValue,
  withReturns,
} from './returns.js';
export type {
  AREEvaluatedTrajectoryData,
  ChatData,
  JudgeResponse,
  LLMEvaluatedTimeStepData,
  LLMEvaluatedTrajectoryData,
  TaskData,
  TimeStepData,
  TrajectoryData,
} from './schema.js';
export { Task, type TaskInput } from './task.js';
export {
  LLMEvaluatedTimeStep,
  type LLMEvaluatedTimeStepInput,
  TimeStep,
  type TimeStepInput,
} from './time-step.js';
export { readTokenizerConfig, type TokenizerChatTemplate } from './tokenizer-config.js';
export { Trajectory, type TrajectoryInput } from './trajectory.js';
