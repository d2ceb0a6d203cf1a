import { type AgentClass, createAgent } from '../agents/registry.js';
import type { AgentConfig } from '../config/agent-schemas.js';
import { InvalidInputError } from '../config/errors.js';
import type { LanePorts } from '../runtime/ports.js';
import { loadUserModule } from './user-modules.js';

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
  return (tools) => new agentClass({ config, ...tools });
}
