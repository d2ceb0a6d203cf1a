import type { Agent, EpisodeInfo } from '../../contracts/agent.js';
import { isMapping, type JsonObject } from '../../contracts/json.js';
import { asError } from '../../contracts/run-user-code.js';
import type { AgentTurns } from './agent-turns.js';
import { beginRounds } from './rounds.js';

const METHODS = ['reset', 'act', 'observe', 'endEpisode', 'snapshot', 'restore'] as const;

/** A user's class that is not an agent; the message names what is missing. */
export class AgentShapeError extends Error {
  override readonly name = 'AgentShapeError';
}

/** @throws AgentShapeError that names the missing methods. */
function checkMethods(agent: unknown): asserts agent is Agent {
  const given = (agent ?? {}) as Record<string, unknown>;
  const missing = METHODS.filter((name) => typeof given[name] !== 'function');
  if (missing.length === 0) return;
  const methods = missing.map((name) => `'${name}'`).join(', ');
  throw new AgentShapeError(
    `agent.file: the class lacks ${missing.length === 1 ? 'the method' : 'the methods'} ${methods}; extend MemoryAgent, or write each of ${METHODS.join(', ')}`,
  );
}

/** Converts a value to plain JSON for a history. */
function plain(method: string, value: unknown): JsonObject {
  if (!isMapping(value)) throw new TypeError(`${method} answered no object`);
  try {
    return JSON.parse(JSON.stringify(value)) as JsonObject;
  } catch (error) {
    throw new TypeError(`${method} answered what cannot be written as JSON: ${asError(error).message}`);
  }
}

function counts(value: unknown): Record<string, number> {
  const figures = plain('metrics', value ?? {});
  const wrong = Object.entries(figures).find(([, figure]) => typeof figure !== 'number');
  if (wrong === undefined) return figures as Record<string, number>;
  throw new TypeError(`metrics answered ${wrong[0]}: ${JSON.stringify(wrong[1])}; it must be a number`);
}

/**
 * Wraps a user's own agent with checks, because its file is bundled without a type check. The agent's own promises are
 * awaited directly, so that a replay has the same order.
 * @param turns ends turns that would never end; null where nothing does
 * @throws AgentShapeError where it lacks a method, and any error of its constructor.
 */
export function ownAgent(make: () => unknown, turns: AgentTurns | null = null): Agent {
  beginRounds();
  const agent = make();
  checkMethods(agent);
  const now = <Value>(work: () => Value): Value => {
    beginRounds();
    return work();
  };
  const turn = <Value>(work: () => Promise<Value>): Promise<Value> =>
    turns === null ? now(work) : turns.take(() => now(work));
  /** Runs a method that may return a promise. */
  const perhaps = (work: () => unknown): Promise<void> | undefined => {
    const answer = now(work);
    if (!(answer instanceof Promise)) return undefined;
    return turns === null ? answer : turns.take(() => answer);
  };
  const atOnce = (method: string, work: () => unknown): unknown => {
    const answer = now(work);
    if (answer instanceof Promise) {
      // The promise is not awaited.
      answer.catch(() => undefined);
      throw new TypeError(`${method} answered a promise; it must answer at once`);
    }
    return answer;
  };
  return {
    ...(agent.takesMessages === true ? { takesMessages: true } : {}),
    reset: (episode: EpisodeInfo) => perhaps(() => agent.reset(episode)),
    act: (observation) => turn(() => agent.act(observation)),
    observe: (observation, feedback, done) => turn(() => agent.observe(observation, feedback, done)),
    endEpisode: () => turn(() => agent.endEpisode()),
    snapshot: () =>
      plain(
        'snapshot',
        atOnce('snapshot', () => agent.snapshot()),
      ),
    restore: (state) => perhaps(() => agent.restore(state)),
    metrics: () => counts(atOnce('metrics', () => agent.metrics?.())),
  };
}
