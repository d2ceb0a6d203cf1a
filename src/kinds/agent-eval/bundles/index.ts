/** Module that task bundles import: `import { defineReward, ToolRegistry, z } from 'reprise/bundle'`. */
export { z } from 'zod';
export type { Database, SqlParameters, SqlResult, SqlRow, SqlValue } from '../../../contracts/database.js';
export { InfrastructureError } from '../../../contracts/infrastructure-error.js';
export type { Json, JsonObject } from '../../../contracts/json.js';
export type { ChatMessage, ToolCall } from '../../../contracts/language-model.js';
export { child, type Logger, logger } from '../../../contracts/logger.js';
export { SqlError } from '../../../databases/sql-error.js';
export type { BundleRow, OracleAction, ToolFault, ToolOutcome } from './contracts.js';
export type { AnthropicTool, GeminiTool, OpenAITool } from './provider-tools.js';
export {
  defineReward,
  goalHolds,
  type Reward,
  type RewardAnswer,
  RewardError,
  type RewardInput,
  type RewardOutput,
} from './reward.js';
export {
  type Tool,
  type ToolCallOptions,
  type ToolContext,
  type ToolFunction,
  type ToolOptions,
  ToolRegistry,
} from './tool-registry.js';
