import { AgentFileError, createAgent, UnknownAgentError } from '../../../agents/registry.js';
import type { Agent } from '../../../contracts/agent.js';
import { AgentShapeError } from '../../../user-code/agents/own-agent.js';
import { invalidInput } from '../../../workflows/failures.js';
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

/** Returns the file of a user's agent. */
export const ownFile = ({ agent }: RunPlan) => ('file' in agent ? (agent.file as string) : undefined);
