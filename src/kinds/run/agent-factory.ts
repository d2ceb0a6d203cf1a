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

/** A user's agent, and the memory that it is made with. */
interface TriedAgent {
  agent: AgentConfig;
  memory: MemoryConfig;
}

/** Makes a user's agent once, with an empty memory, where it is called. @throws InvalidInputError @thread */
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
 * Makes a user's agent once, with an empty memory, before anything is paid: what its class lacks, and what its constructor
 * throws, is said at once; in a thread also that it computes without end, waits for what never comes or ends its process.
 * Where there is no thread the experiment's own workflow runs here, and finds the class from now on. A built-in agent needs
 * no trial.
 * @param timeoutMs that it may take to be loaded and made: 60,000
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
  // What is allowed is known in this thread alone.
  checkFile(field, agent.file as string, 'code', CODE_ENDINGS);
  await pool.run(MAKE, { agent, memory }, { timeoutMs, alone: true }).catch((error: unknown) => {
    if (!(error instanceof CodeEndedError)) throw error;
    const late = `was not loaded, and its class not made, within ${timeoutMs / 1000} s`;
    throw new InvalidInputError(`${field}: ${agent.file} ${error.isLate ? late : error.trialFault}`, field);
  });
}

/**
 * How a config's agents are made: by a built-in class, or by one from the user's file.
 * @throws InvalidInputError where the file cannot be loaded or exports no such class.
 */
export async function agentFactory(config: AgentConfig): Promise<LanePorts['createAgent']> {
  if (!('file' in config)) {
    return (tools) => createAgent({ config, ...tools });
  }
  const agentClass = await agentClassOf(config);
  return (tools) => ownAgent(() => new agentClass({ config, ...tools }));
}

/** Loads the class of a user's agent. @throws InvalidInputError where the file cannot be loaded or exports no such class. */
async function agentClassOf(config: AgentConfig): Promise<AgentClass> {
  const { file, class_name: name = 'default' } = config as { file?: string; class_name?: string };
  const exported = await loadNamedModule(file as string, 'agent.file');
  const agentClass = exported[name] as AgentClass;
  if (typeof agentClass === 'function') return agentClass;
  throw new InvalidInputError(`agent.class_name: ${file} exports no class '${name}'`, 'agent.class_name');
}
