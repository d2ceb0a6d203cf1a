/*
 * Stand-ins for the files of a user's agent, memory and environment: a config names this file where a program gives the
 * objects themselves. It is loaded as a user's file is, so it shares nothing with the package's modules but `given`.
 */

interface Given {
  agent(context: object): object;
  memory(options: object, saved: object | null): object;
  environment(...made: unknown[]): object;
}

const given = (): Given => (globalThis as never)[Symbol.for('reprise.given-objects')] as unknown as Given;

/** Constructs the given agent. @thread */
export function GivenAgent(context: object): object {
  return given().agent(context);
}

/** Constructs the given memory. @thread */
export function GivenMemory(options: object, saved: object | null): object {
  return given().memory(options, saved);
}

/** Constructs the given environment. @thread */
export function GivenEnvironment(...made: unknown[]): object {
  return given().environment(...made);
}

// A class of environments is told by its methods.
Object.assign(GivenEnvironment.prototype, { reset: () => undefined, step: () => undefined });
