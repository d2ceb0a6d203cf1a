import { type AgentClass, createAgent, registerAgentOf } from '../../agents/registry.js';
import type { AgentConfig } from '../../config/agent-schemas.js';
import { InvalidInputError } from '../../config/errors.js';
import type { MemoryConfig } from '../../config/memory-schemas.js';
import { CODE_ENDINGS, checkFile } from '../../config/named-files.js';
import { messageWithPlace } from '../../contracts/place-of-error.js';
import { runAtOnce } from '../../contracts/run-user-code.js';
import { buildMemory } from '../../memory/factory.js';
import type { LanePorts } from '../../runtime/ports.js';
import { AgentShapeError, ownAgent } from '../../user-code/agents/own-agent.js';
import { CodeEndedError } from '../../user-code/code-pool.js';
import type { CodeRunner } from '../../user-code/code-runner.js';
import { loadNamedModule } from '../../user-code/load-module.js';
import { threadWork } from '../../user-code/thread-work.js';

/** Configs of an agent and of the memory that it is created with. */
interface TriedAgent {
  agent: AgentConfig;
  memory: MemoryConfig;
}

/** Creates a user's agent once with an empty memory, in the calling thread. @throws InvalidInputError @thread */
export async function makeAgent({ agent, memory }: TriedAgent): Promise<void> {
  const create = await agentFactory(agent);
  const nobody = async () => {
    throw new Error('an agent may call the language model, and run code, only during an episode');
  };
  try {
    runAtOnce(() =>
      create({
        memory: buildMemory(memory),
        languageModel: { generate: nobody },
        codeExecutor: { execute: nobody },
      }),
    );
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof AgentShapeError) throw new InvalidInputError(message, 'agent.file');
    const said = messageWithPlace(error, (agent as { file: string }).file);
    throw new InvalidInputError(`agent.file: the class cannot be made: ${said}`, 'agent.file');
  }
}

const MAKE = threadWork(import.meta.url, makeAgent);

/**
 * Creates a user's agent once, with an empty memory, before anything is paid, to report what its class lacks or its
 * constructor throws; in a thread also that it computes endlessly, waits endlessly or ends its process. If there are no
 * threads, the experiment's workflow runs in this process, and the class is registered for it. A built-in agent is not
 * tried.
 * @param timeoutMs limit of loading and creating it: 60,000
 * @throws InvalidInputError that names the field, and the place in the file.
 */
export async function tryAgent(
  { pool }: CodeRunner,
  { agent, memory }: TriedAgent,
  timeoutMs = 60_000,
): Promise<void> {
  if (!('file' in agent)) return;
  if (pool === null) {
    await makeAgent({ agent, memory });
    registerAgentOf(agent, await agentClassOf(agent));
    return;
  }
  const field = 'agent.file';
  // Only this thread knows which files are permitted.
  checkFile(field, agent.file as string, 'code', CODE_ENDINGS);
  await pool.run(MAKE, { agent, memory }, { timeoutMs, alone: true }).catch((error: unknown) => {
    if (!(error instanceof CodeEndedError)) throw error;
    const late = `was not loaded, and its class not made, within ${timeoutMs / 1000} s`;
    throw new InvalidInputError(`${field}: ${agent.file} ${error.isLate ? late : error.trialFault}`, field);
  });
}

/**
 * Returns the constructor of a config's agents: of a built-in class, or of one from the user's file.
 * @throws InvalidInputError if the file cannot be loaded or exports no such class.
 */
export async function agentFactory(config: AgentConfig): Promise<LanePorts['createAgent']> {
  if (!('file' in config)) {
    return (tools) => createAgent({ config, ...tools });
  }
  const agentClass = await agentClassOf(config);
  return (tools) => ownAgent(() => new agentClass({ config, ...tools }));
}

/**
 * Loads the class of a user's agent.
 * @throws InvalidInputError if the file cannot be loaded or exports no such class.
 */
async function agentClassOf(config: AgentConfig): Promise<AgentClass> {
  const { file, class_name: name = 'default' } = config as { file?: string; class_name?: string };
  const exported = await loadNamedModule(file as string, 'agent.file');
  const agentClass = exported[name] as AgentClass;
  if (typeof agentClass === 'function') return agentClass;
  throw new InvalidInputError(`agent.class_name: ${file} exports no class '${name}'`, 'agent.class_name');
}
