import type { Agent } from '../contracts/agent.js';
import { isMapping, type JsonObject } from '../contracts/json.js';
import { nothingChanged } from '../contracts/kept-json.js';
import { asError } from '../contracts/run-user-code.js';
import type { AgentTurns } from './agent-turns.js';

/** A user's class that is not an agent; the message names what is missing. */
export class AgentShapeError extends Error {
  override readonly name = 'AgentShapeError';
}

/** Converts a value to plain JSON, as files need it. */
function plain(method: string, value: unknown): JsonObject {
  if (!isMapping(value)) throw new TypeError(`${method} answered no object`);
  try {
    return JSON.parse(JSON.stringify(value, nothingChanged)) as JsonObject;
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

/** Checks that a method has answered at once. */
function atOnce(method: string, answer: unknown): unknown {
  if (!(answer instanceof Promise)) return answer;
  // The promise is not awaited.
  answer.catch(() => undefined);
  throw new TypeError(`${method} answered a promise; it must answer at once`);
}

/**
 * Wraps a user's own agent with checks, because its file is loaded without a type check. It needs the method `act` and
 * no other.
 * @param turns end turns that would never end; null where nothing does
 * @throws AgentShapeError where it has no `act`, and any error of its constructor.
 */
export function ownAgent(make: () => unknown, turns: AgentTurns | null = null): Agent {
  const now = <Value>(work: () => Value): Value => (turns === null ? work() : turns.atOnce(work));
  const turn = async <Value>(work: () => Value | Promise<Value>): Promise<Value> =>
    turns === null ? work() : turns.take(work);
  const agent = now(make) as Partial<Agent> | null | undefined;
  if (typeof agent?.act !== 'function')
    throw new AgentShapeError(
      "agent.file: the class lacks the method 'act'; write it, or extend MemoryAgent",
    );
  const own = agent as Partial<Agent> & Pick<Agent, 'act'>;
  const continues = typeof own.snapshot === 'function' && typeof own.restore === 'function';
  return {
    ...(own.takesMessages === true ? { takesMessages: true } : {}),
    ...(continues ? {} : { continues: false }),
    reset: (episode) => turn(() => own.reset?.(episode)),
    act: (observation) => turn(() => own.act(observation)),
    observe: (observation, feedback, done) => turn(async () => own.observe?.(observation, feedback, done)),
    endEpisode: () => turn(async () => own.endEpisode?.()),
    snapshot: () =>
      plain(
        'snapshot',
        atOnce(
          'snapshot',
          now(() => (continues ? own.snapshot?.() : {})),
        ),
      ),
    restore: (state) => turn(() => own.restore?.(state)),
    metrics: () =>
      counts(
        atOnce(
          'metrics',
          now(() => own.metrics?.()),
        ),
      ),
  };
}
