import type { AgentConfig } from '../config/agent-schemas.js';
import type { Agent } from '../contracts/agent.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import type { AgentTurns } from '../user-code/agents/agent-turns.js';
import { ownAgent } from '../user-code/agents/own-agent.js';
import { DynamicCheatsheetAgent } from './dynamic-cheatsheet/agent.js';
import { HistoryAgent } from './history-agent.js';
import { type AgentContext, MemoryAgent } from './memory-agent.js';
import { ReflexionAgent } from './reflexion-agent.js';

/** Constructor of an agent, built-in or a user's. */
// biome-ignore lint/suspicious/noExplicitAny: each class narrows the config to its own.
export type AgentClass = new (context: AgentContext<any>) => Agent;

const classes = new Map<string, AgentClass>([
  ['memory_agent', MemoryAgent],
  ['history_agent', HistoryAgent],
  ['reflexion_agent', ReflexionAgent],
  ['dynamic_cheatsheet_agent', DynamicCheatsheetAgent],
]);

/** Types that users have registered. */
const own = new Set<string>();

/**
 * Registers a user's agent under the name that `agent.type` uses. The worker's bundle does this before any workflow
 * runs.
 */
export function registerAgent(type: string, agentClass: AgentClass): void {
  classes.set(type, agentClass);
  own.add(type);
}

/** Exports of a user's file, or the error that it threw when it was loaded. */
export type LoadedFile = { exports: Readonly<Record<string, unknown>> } | { thrown: unknown };

/**
 * Registers a class of a user's file, as {@link registerAgent} does. If the class is missing or the file could not be
 * loaded, creating the agent throws; workflows with other agents continue.
 * @param file absolute path
 */
export function registerAgentFile(type: string, file: string, className: string, loaded: LoadedFile): void {
  registerAgent(type, classIn(file, className, loaded));
}

/** Registers the class of one config, for a process that may run other configs of the same type. */
export function registerAgentOf(config: NamedClass, agentClass: AgentClass): void {
  registerAgent(fileKey(config), agentClass);
}

/** Name that the class of a user's memory is registered under. */
export const OWN_MEMORY = 'own_memory';

/** Name of a class, and the user's file that exports it, if it is a user's. */
interface NamedClass {
  type: string;
  file?: unknown;
  class_name?: unknown;
}

const fileKey = ({ type, file, class_name = null }: NamedClass): string =>
  file === undefined ? type : JSON.stringify([type, file, class_name]);

/** Returns the class that is registered here for a file, or for a type in a worker's bundle; undefined: none. */
export function registeredClass(named: NamedClass): AgentClass | undefined {
  return classes.get(fileKey(named)) ?? classes.get(named.type);
}

function classIn(file: string, className: string, loaded: LoadedFile): AgentClass {
  if ('thrown' in loaded) {
    const said = messageWithPlace(loaded.thrown, file);
    return noClass(`agent.file: ${file} cannot be loaded in a workflow: ${said}`);
  }
  const found = loaded.exports[className];
  if (typeof found === 'function') return found as AgentClass;
  return noClass(`agent.class_name: ${file} exports no class '${className}'`);
}

/** Returns a class whose constructor throws an error about the user's file. */
function noClass(message: string): AgentClass {
  return class {
    constructor() {
      throw new AgentFileError(message);
    }
  } as unknown as AgentClass;
}

/** Returns the names that `agent.type` may have here. */
export function registeredAgents(): string[] {
  return [...classes.keys()];
}

/** Error of a user's agent file that does not provide its class. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError';
}

/** Error of a run whose agent this worker was not started with. */
export class UnknownAgentError extends Error {
  override readonly name = 'UnknownAgentError';
}

/**
 * Creates the agent of a config.
 * @param turns of its lane, which end a user's agent, or an agent with a user's memory, that waits for nothing in
 * progress
 * @throws UnknownAgentError, AgentFileError, AgentShapeError if a user's class is no agent, and its constructor's
 * errors.
 */
export function createAgent(context: AgentContext<AgentConfig>, turns: AgentTurns | null = null): Agent {
  const { type } = context.config;
  const agentClass = registeredClass(context.config);
  if (agentClass === undefined) {
    throw new UnknownAgentError(
      `agent.type: this worker knows no agent '${type}' (it knows ${registeredAgents().join(', ')}); start it with the file of the agent: reprise worker --agent ${type}=FILE`,
    );
  }
  return turns !== null || own.has(type) || own.has(fileKey(context.config))
    ? ownAgent(() => new agentClass(context), turns)
    : new agentClass(context);
}
