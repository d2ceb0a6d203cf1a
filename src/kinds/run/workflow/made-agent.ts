import { createMemory } from '../../../agents/own-memory.js';
import { AgentFileError, createAgent, UnknownAgentError } from '../../../agents/registry.js';
import type { Agent } from '../../../contracts/agent.js';
import type { MemoryModule } from '../../../memory/memory-module.js';
import { AgentShapeError } from '../../../user-code/agents/own-agent.js';
import { invalidInput, orInvalidInput } from '../../../workflows/failures.js';
import type { RunPlan } from '../contracts.js';

const UNFIT = [UnknownAgentError, AgentFileError, AgentShapeError];

/** Creates an agent. An unfit class is an invalid input; what its constructor throws is an episode's error. */
export function madeAgent(...given: Parameters<typeof createAgent>): Agent {
  try {
    return createAgent(...given);
  } catch (error) {
    const isUnfit = UNFIT.some((type) => error instanceof type);
    throw isUnfit ? invalidInput(error) : error;
  }
}

/** Creates a memory. Whatever its class throws is an invalid input: it was made once before the run began. */
export function madeMemory(...given: Parameters<typeof createMemory>): MemoryModule {
  return orInvalidInput(() => createMemory(...given));
}

/** Returns the file of a user's agent, or of a user's memory. */
export function ownFile({ agent, memory }: Pick<RunPlan, 'agent' | 'memory'>): string | undefined {
  if ('file' in agent) return agent.file as string;
  return memory._type === 'own' ? memory.file : undefined;
}
