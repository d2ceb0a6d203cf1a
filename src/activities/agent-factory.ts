import { AgentShapeError, ownAgent } from '../agents/own-agent.js';
import { type AgentClass, createAgent } from '../agents/registry.js';
import type { AgentConfig } from '../config/agent-schemas.js';
import { InvalidInputError } from '../config/errors.js';
import type { MemoryConfig } from '../config/memory-schemas.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import { runAtOnce } from '../contracts/run-user-code.js';
import { buildMemory } from '../memory/factory.js';
import type { LanePorts } from '../runtime/ports.js';
import { loadUserModule } from './user-modules.js';

/**
 * Makes a user's agent once, with an empty memory, before anything is paid: what its class lacks, and what its constructor
 * throws, is said at once. A built-in one needs no trial.
 * @throws InvalidInputError that names the field, and the place in the file.
 */
export async function tryAgent(config: AgentConfig, memory: MemoryConfig): Promise<void> {
  if (!('file' in config)) return;
  const create = await agentFactory(config);
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
    const said = messageWithPlace(error, config.file as string);
    throw new InvalidInputError(`agent.file: the class cannot be made: ${said}`, 'agent.file');
  }
}

/**
 * How a config's agents are made: by a built-in class, or by one from the user's file.
 * @throws InvalidInputError where the file cannot be loaded or exports no such class.
 */
export async function agentFactory(config: AgentConfig): Promise<LanePorts['createAgent']> {
  if (!('file' in config)) {
    return (tools) => createAgent({ config, ...tools });
  }
  const name = (config.class_name as string | undefined) ?? 'default';
  const exported = await loadUserModule(config.file as string, 'agent.file');
  const agentClass = exported[name] as AgentClass;
  if (typeof agentClass !== 'function') {
    throw new InvalidInputError(
      `agent.class_name: ${config.file} exports no class '${name}'`,
      'agent.class_name',
    );
  }
  return (tools) => ownAgent(() => new agentClass({ config, ...tools }));
}
