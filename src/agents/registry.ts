import type { AgentConfig } from '../config/agent-schemas.js';
import type { Agent } from '../contracts/agent.js';
import { DynamicCheatsheetAgent } from './dynamic-cheatsheet/agent.js';
import { HistoryAgent } from './history-agent.js';
import { type AgentContext, MemoryAgent } from './memory-agent.js';
import { ReflexionAgent } from './reflexion-agent.js';

/** Constructor of an agent, built-in or a user's. */
// biome-ignore lint/suspicious/noExplicitAny: each class narrows the config to its own.
export type AgentClass = new (context: AgentContext<any>) => Agent;

/** Classes of the built-in agents, by `agent.type`. */
const CLASSES: Readonly<Record<string, AgentClass>> = {
  memory_agent: MemoryAgent,
  history_agent: HistoryAgent,
  reflexion_agent: ReflexionAgent,
  dynamic_cheatsheet_agent: DynamicCheatsheetAgent,
};

/** Creates the built-in agent of a config. */
export function createAgent(context: AgentContext<AgentConfig>): Agent {
  const { type } = context.config;
  const agentClass = Object.hasOwn(CLASSES, type) ? CLASSES[type] : undefined;
  if (agentClass === undefined) throw new Error(`agent.type: no agent is called '${type}'`);
  return new agentClass(context);
}
