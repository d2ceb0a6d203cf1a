import type { AgentTurns } from '../../agents/agent-turns.js';
import { AgentShapeError, ownAgent } from '../../agents/own-agent.js';
import { type MemoryClass, ownMemoryOf } from '../../agents/own-memory.js';
import { type AgentClass, createAgent } from '../../agents/registry.js';
import type { AgentConfig } from '../../config/agent-schemas.js';
import { InvalidInputError } from '../../config/errors.js';
import type { MemoryConfig } from '../../config/memory-schemas.js';
import { CODE_ENDINGS, checkFile } from '../../config/named-files.js';
import type { Agent } from '../../contracts/agent.js';
import { messageWithPlace } from '../../contracts/place-of-error.js';
import { runAtOnce } from '../../contracts/run-user-code.js';
import { buildMemory } from '../../memory/factory.js';
import type { MemoryJournal, MemoryModule, MemorySnapshot } from '../../memory/memory-module.js';
import type { LanePorts } from '../../runtime/ports.js';
import type { UserCode } from '../../user-code/code.js';
import { CodeEndedError } from '../../user-code/code-pool.js';
import type { CodeRunner } from '../../user-code/code-runner.js';
import { loadNamedModule } from '../../user-code/load-module.js';
import { threadWork } from '../../user-code/thread-work.js';

/** Configs of an agent and of the memory that it is created with. */
interface TriedAgent {
  agent: AgentConfig;
  memory: MemoryConfig;
}

/**
 * Creates a user's agent once with an empty memory, or an agent with a user's memory, in the calling thread.
 * @throws InvalidInputError that names the field @thread
 */
export async function makeAgent({ agent, memory }: TriedAgent): Promise<void> {
  const create = await agentFactory(agent);
  const remember = await memoryFactory(memory);
  const nobody = async () => {
    throw new Error('an agent may call the language model, and run code, only during an episode');
  };
  const remembering = made('memory.file', memory, () => remember(null));
  const tools = { languageModel: { generate: nobody }, codeExecutor: { execute: nobody } };
  made('agent.file', agent, () => create({ ...tools, memory: remembering }));
}

/** Makes an object of a class of a user's file. @throws InvalidInputError */
function made<Value>(field: string, config: object, make: () => Value): Value {
  try {
    return runAtOnce(make);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof AgentShapeError) throw new InvalidInputError(message, field);
    const said = messageWithPlace(error, (config as { file?: string }).file);
    throw new InvalidInputError(`${field}: the class cannot be made: ${said}`, field);
  }
}

const MAKE = threadWork(import.meta.url, makeAgent);

/**
 * Creates a user's agent once, with an empty memory, or an agent with a user's memory, before anything is paid, to report
 * what a class lacks or its constructor throws; in a thread also that it computes endlessly, waits endlessly or ends its
 * process. A built-in agent is not tried.
 * @param timeoutMs limit of loading and creating it: 60,000
 * @throws InvalidInputError that names the field, and the place in the file.
 */
export async function tryAgent(
  { pool }: CodeRunner,
  { agent, memory }: TriedAgent,
  timeoutMs = 60_000,
): Promise<void> {
  const own = [
    ...('file' in agent ? [{ field: 'agent.file', file: agent.file as string }] : []),
    ...(memory._type === 'own' ? [{ field: 'memory.file', file: memory.file }] : []),
  ];
  const [first] = own;
  if (first === undefined) return;
  if (pool === null) return makeAgent({ agent, memory });
  // Only this thread knows which files are permitted.
  for (const { field, file } of own) checkFile(field, file, 'code', CODE_ENDINGS);
  await pool.run(MAKE, { agent, memory }, { timeoutMs, alone: true }).catch((error: unknown) => {
    if (!(error instanceof CodeEndedError)) throw error;
    const late = `was not loaded, and its class not made, within ${timeoutMs / 1000} s`;
    const { field, file } = first;
    throw new InvalidInputError(`${field}: ${file} ${error.isLate ? late : error.trialFault}`, field);
  });
}

/**
 * Returns the constructor of a config's agents: of a built-in class, or of one from the user's file.
 * @param code version of the file to load, even if it has changed since
 * @throws InvalidInputError if the file cannot be loaded or exports no such class.
 */
export async function agentFactory(
  config: AgentConfig,
  code?: UserCode,
): Promise<(tools: Parameters<LanePorts['createAgent']>[0], turns?: AgentTurns) => Agent> {
  if (!('file' in config)) return (tools) => createAgent({ config, ...tools });
  const agentClass = await ownClass<AgentClass>(config, 'agent.file', code);
  return (tools, turns) => ownAgent(() => new agentClass({ config, ...tools }), turns);
}

/**
 * Returns the constructor of a config's memories.
 * @param code version of the file to load, even if it has changed since
 * @throws InvalidInputError if the file cannot be loaded or exports no such class.
 */
export async function memoryFactory(
  config: MemoryConfig,
  code?: UserCode,
): Promise<(saved: MemorySnapshot | null, journal?: MemoryJournal) => MemoryModule> {
  if (config._type !== 'own') return (saved, journal) => buildMemory(config, saved, journal);
  const memoryClass = await ownClass<MemoryClass>(config, 'memory.file', code);
  return (saved) => ownMemoryOf(config, memoryClass, saved);
}

/**
 * Loads a class of a user's file.
 * @param field of the file
 * @throws InvalidInputError if the file cannot be loaded or exports no such class.
 */
async function ownClass<Class>(
  config: { file?: unknown; class_name?: unknown },
  field: string,
  code: UserCode | undefined,
): Promise<Class> {
  const { file, class_name: name = 'default' } = config as { file: string; class_name?: string };
  const found = (await loadNamedModule(file, field, code))[name];
  if (typeof found === 'function') return found as Class;
  const ofClass = field.replace('file', 'class_name');
  throw new InvalidInputError(`${ofClass}: ${file} exports no class '${name}'`, ofClass);
}
