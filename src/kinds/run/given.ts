import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentContext } from '../../agents/memory-agent.js';
import { InvalidInputError } from '../../config/errors.js';
import type { Agent } from '../../contracts/agent.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Environment, EnvironmentClass } from '../../environments/environment.js';
import type { MemoryModule, MemorySnapshot } from '../../memory/memory-module.js';
import type { RunConfig } from './schema.js';

/** Object, function that makes one, or its class. */
type Made<Value, Arguments extends unknown[]> =
  | Value
  | ((...made: Arguments) => Value)
  | (new (
      ...made: Arguments
    ) => Value);

/** Objects that take the place of what a config describes. */
export interface GivenObjects {
  /** Agent. One that is given as an object calls the model that it was made with, which is not counted. */
  // biome-ignore lint/suspicious/noExplicitAny: each class narrows the config to its own.
  agent?: Made<Agent, [AgentContext<any>]>;
  /** Memory, which is made as that of a file is: of no options, and of what it returned as `snapshot`, if anything. */
  memory?: Made<MemoryModule, [options: JsonObject, saved: MemorySnapshot | null]>;
  /** Environment of every sample. */
  environment?: Made<Environment, ConstructorParameters<EnvironmentClass>>;
}

const inForce = new AsyncLocalStorage<GivenObjects>();

/** Reports whether a function is a class, which is called with `new`. */
function isClass(value: object): boolean {
  return Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
}

function made(name: keyof GivenObjects, ...given: unknown[]): object {
  const value = inForce.getStore()?.[name] as unknown;
  if (typeof value !== 'function') return value as object;
  const make = value as (new (...made: unknown[]) => object) & ((...made: unknown[]) => object);
  return isClass(value) ? new make(...given) : make(...given);
}

(globalThis as unknown as Record<symbol, object>)[Symbol.for('reprise.given-objects')] = {
  agent: (context: object) => made('agent', context),
  memory: (options: object, saved: object | null) => made('memory', options, saved),
  environment: (...given: unknown[]) => made('environment', ...given),
};

const built = fileURLToPath(new URL('./given-objects.js', import.meta.url));
const FILE = existsSync(built) ? built : built.replace(/\.js$/, '.ts');

/** Returns the name of an agent for the metrics. */
function nameOf(agent: object): string {
  const name = typeof agent === 'function' ? agent.name : agent.constructor.name;
  return name === '' || name === 'Object' || name === 'agent' ? 'given_agent' : name;
}

const isObject = (value: unknown) => value !== undefined && typeof value !== 'function';

/** @throws InvalidInputError if an object cannot serve a run with this config. */
function checkObjects({ agent, memory }: GivenObjects, { runtime, output }: RunConfig): void {
  for (const [name, value] of Object.entries({ agent, memory })) {
    if (!isObject(value)) continue;
    const refuse = (field: string, why: string) => {
      throw new InvalidInputError(`${field}: ${why}; give a function that makes the ${name}`, field);
    };
    if (runtime.memory_scope === 'sample')
      refuse('runtime.memory_scope', `one ${name} has one memory, and with sample each sample has its own`);
    if (!runtime.carry_memory_across_trials)
      refuse('runtime.carry_memory_across_trials', `one ${name} keeps its memory from trial to trial`);
    if (output.load_memory_path !== null)
      refuse('output.load_memory_path', `one ${name} has its memory already`);
  }
}

/**
 * Runs some work with objects in the place of what a config describes.
 * @param work takes the config that stands for them
 * @throws InvalidInputError if an object cannot serve a run with this config.
 */
export function withGiven<Value>(
  config: RunConfig,
  given: GivenObjects,
  work: (config: RunConfig) => Value,
): Value {
  checkObjects(given, config);
  const { agent, memory, environment } = given;
  const standing: RunConfig = {
    ...config,
    ...(agent !== undefined && {
      agent: { ...config.agent, type: nameOf(agent), file: FILE, class_name: 'GivenAgent' },
    }),
    ...(memory !== undefined && {
      memory: { _type: 'own', file: FILE, class_name: 'GivenMemory', options: {} },
    }),
    ...(environment !== undefined && {
      dataset: { ...config.dataset, env_file: FILE, env_class: 'GivenEnvironment' },
    }),
  };
  return inForce.run(given, () => work(standing));
}
