import type { AgentConfig, DynamicCheatsheetAgentConfig } from '../../config/agent-schemas.js';

type Mode = DynamicCheatsheetAgentConfig['mode'];

/** Modes that are made of similar experiences. */
export const RETRIEVING: readonly Mode[] = ['retrieval_synthesis', 'dynamic_retrieval'];

export function isCheatsheetAgent(agent: AgentConfig): agent is DynamicCheatsheetAgentConfig {
  return agent.type === 'dynamic_cheatsheet_agent' && 'mode' in agent;
}

/** Whether a mode has a curator, who rewrites the sheet. */
export function curates({ mode }: DynamicCheatsheetAgentConfig): boolean {
  return mode === 'cumulative' || mode === 'retrieval_synthesis';
}

/** Whether a mode shows similar experiences, where the config does not say. */
export function usesRetrieval({ mode, use_retrieval }: DynamicCheatsheetAgentConfig): boolean {
  return use_retrieval ?? RETRIEVING.includes(mode);
}
