import type { AgentConfig, DynamicCheatsheetAgentConfig } from '../../config/agent-schemas.js';

type Mode = DynamicCheatsheetAgentConfig['mode'];

/** Modes that are based on similar experiences. */
export const RETRIEVING: readonly Mode[] = ['retrieval_synthesis', 'dynamic_retrieval'];

export function isCheatsheetAgent(agent: AgentConfig): agent is DynamicCheatsheetAgentConfig {
  return agent.type === 'dynamic_cheatsheet_agent' && 'mode' in agent;
}

/** Reports whether a mode has a curator, who rewrites the sheet. */
export function curates({ mode }: DynamicCheatsheetAgentConfig): boolean {
  return mode === 'cumulative' || mode === 'retrieval_synthesis';
}

/** Reports whether prompts show similar experiences; by default, the mode decides. */
export function usesRetrieval({ mode, use_retrieval }: DynamicCheatsheetAgentConfig): boolean {
  return use_retrieval ?? RETRIEVING.includes(mode);
}
