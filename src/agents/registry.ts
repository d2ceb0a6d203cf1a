import type { AgentConfig } from '../config/agent-schemas.js';
import type { Agent } from '../contracts/agent.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import type { AgentTurns } from '../user-code/agents/agent-turns.js';
import { ownAgent } from '../user-code/agents/own-agent.js';
import { DynamicCheatsheetAgent } from './dynamic-cheatsheet/agent.js';
import { HistoryAgent } from './history-agent.js';
import { type AgentContext, MemoryAgent } from './memory-agent.js';
import { ReflexionAgent } from './reflexion-agent.js';

/** How an agent is made. A user's class has the same constructor. */
// biome-ignore lint/suspicious/noExplicitAny: each class narrows the config to its own.
export type AgentClass = new (context: AgentContext<any>) => Agent;

const classes = new Map<string, AgentClass>([
  ['memory_agent', MemoryAgent],
  ['history_agent', HistoryAgent],
  ['reflexion_agent', ReflexionAgent],
  ['dynamic_cheatsheet_agent', DynamicCheatsheetAgent],
]);

/** Those of users. */
const own = new Set<string>();

/** Adds a user's agent under the name that `agent.type` uses. The worker's bundle does this before any workflow runs. */
export function registerAgent(type: string, agentClass: AgentClass): void {
  classes.set(type, agentClass);
  own.add(type);
}

/** What a user's file exports, or what it threw when it was loaded. */
export type LoadedFile = { exports: Readonly<Record<string, unknown>> } | { thrown: unknown };

/**
 * {@link registerAgent} with a class out of a user's file. Where it has none, or could not be loaded, whoever makes the
 * agent is told so; the workflows that ask for no such agent go on.
 * @param file its absolute path
 */
export function registerAgentFile(type: string, file: string, className: string, loaded: LoadedFile): void {
  registerAgent(type, classIn(file, className, loaded));
}

/** Adds the class of a config for this config alone, in a process that may run others of the same type. */
export function registerAgentOf(config: AgentConfig, agentClass: AgentClass): void {
  registerAgent(fileKey(config), agentClass);
}

const fileKey = ({ type, ...rest }: AgentConfig): string =>
  'file' in rest ? JSON.stringify([type, rest.file, 'class_name' in rest ? rest.class_name : null]) : type;

function classIn(file: string, className: string, loaded: LoadedFile): AgentClass {
  if ('thrown' in loaded) {
    const said = messageWithPlace(loaded.thrown, file);
    return noClass(`agent.file: ${file} cannot be loaded in a workflow: ${said}`);
  }
  const found = loaded.exports[className];
  if (typeof found === 'function') return found as AgentClass;
  return noClass(`agent.class_name: ${file} exports no class '${className}'`);
}

/** In the place of a class: making an agent of it says what is wrong with the file. */
function noClass(message: string): AgentClass {
  return class {
    constructor() {
      throw new AgentFileError(message);
    }
  } as unknown as AgentClass;
}

/** The names that `agent.type` may have here. */
export function registeredAgents(): string[] {
  return [...classes.keys()];
}

/** Thrown where the file of a user's agent does not give its class. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError';
}

/** Thrown where this worker was not started with the agent that a run asks for. */
export class UnknownAgentError extends Error {
  override readonly name = 'UnknownAgentError';
}

/**
 * @param turns of its lane, where a user's agent is to be ended that waits for nothing
 * @throws UnknownAgentError, AgentFileError, AgentShapeError where a user's class is no agent, and what its constructor throws.
 */
export function createAgent(context: AgentContext<AgentConfig>, turns: AgentTurns | null = null): Agent {
  const { type } = context.config;
  const agentClass = classes.get(fileKey(context.config)) ?? classes.get(type);
  if (agentClass === undefined) {
    throw new UnknownAgentError(
      `agent.type: this worker knows no agent '${type}' (it knows ${registeredAgents().join(', ')}); start it with the file of the agent: reprise worker --agent ${type}=FILE`,
    );
  }
  return own.has(type) || own.has(fileKey(context.config))
    ? ownAgent(() => new agentClass(context), turns)
    : new agentClass(context);
}
