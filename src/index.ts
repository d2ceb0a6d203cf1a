/**
 * Exports for a user's own environment or agent: `import { QAEnv, type Feedback } from 'reprise'`. Everything here is
 * pure, so that it may also be bundled into a workflow.
 */
export { DynamicCheatsheetAgent } from './agents/dynamic-cheatsheet/agent.js';
export { HistoryAgent } from './agents/history-agent.js';
export { type AgentContext, MemoryAgent } from './agents/memory-agent.js';
export { ReflexionAgent } from './agents/reflexion-agent.js';
export type {
  DynamicCheatsheetAgentConfig,
  HistoryAgentConfig,
  MemoryAgentConfig,
  ReflexionAgentConfig,
} from './config/agent-schemas.js';
export type {
  Agent,
  AgentLanguageModel,
  AgentRequest,
  CodeExecutor,
  CodeRequest,
  EpisodeInfo,
} from './contracts/agent.js';
export type { Feedback, ResetOutcome, StepOutcome, Task } from './contracts/environment.js';
export type { ExecutionResult } from './contracts/execution.js';
export type { Json, JsonObject } from './contracts/json.js';
export type { ChatMessage, GenerateReply } from './contracts/language-model.js';
export { child, type Logger, logger } from './contracts/logger.js';
export {
  Environment,
  type EnvironmentOptions,
  type EnvironmentServices,
  finalStep,
} from './environments/environment.js';
export { EquationBalancerEnv } from './environments/equation-balancer.js';
export { Game24Env } from './environments/game24.js';
export { MathQAEnv } from './environments/math-qa.js';
export { MCQEnv } from './environments/mcq.js';
export { NumberGuessingEnv } from './environments/number-guessing.js';
export { QAEnv } from './environments/qa.js';
export type { CustomDomainModule } from './kinds/evolve/evolution/domains/custom.js';
export type { DatasetExample } from './kinds/evolve/evolution/types.js';
export type { Entry, ExperienceEntry, ReflectionEntry } from './memory/entries.js';
export { HistoryList } from './memory/history-list.js';
export type { ExperienceMemory, MemoryModule, MemorySnapshot, SheetMemory } from './memory/memory-module.js';
export { isExperienceMemory, isSheetMemory } from './memory/memory-module.js';
export { EmptyReplyError } from './replies/reply-faults.js';
