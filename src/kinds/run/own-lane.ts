import { AgentTurns } from '../../agents/agent-turns.js';
import { AgentShapeError } from '../../agents/own-agent.js';
import type { AgentConfig } from '../../config/agent-schemas.js';
import { InvalidInputError } from '../../config/errors.js';
import type { MemoryConfig } from '../../config/memory-schemas.js';
import { messageWithPlace } from '../../contracts/place-of-error.js';
import type { EpisodeError } from '../../contracts/results.js';
import { asError } from '../../contracts/run-user-code.js';
import type { MemoryJournal } from '../../memory/memory-module.js';
import { CallRefusedError, type LanePorts, type LaneRules } from '../../runtime/ports.js';
import type { UserCode } from '../../user-code/code.js';
import { type Surroundings, threadWork } from '../../user-code/thread-work.js';
import { agentFactory, memoryFactory } from './agent-factory.js';
import { Lane, type LaneOutcome } from './lane/lane.js';
import type { LaneState } from './lane/lane-state.js';

/** What a lane with code of a user begins with. */
export interface OwnLaneInput {
  agent: AgentConfig;
  memory: MemoryConfig;
  rules: LaneRules;
  state: LaneState;
  /** Version of the user's files to load; undefined: as they are. */
  code: UserCode | undefined;
  /** Milliseconds that a turn of the agent may wait, or compute, beside its calls. */
  turnMs: number;
  /** Minimum milliseconds between two states that are kept. */
  keptEvery: number;
  /** Turns, by number, that are not taken, and the errors in their place. */
  ended: readonly (readonly [turn: number, error: EpisodeError])[];
}

/** How a lane ended: `interrupted` where a port has failed in a way that is no episode's error. */
export type OwnLaneResult =
  | { outcome: LaneOutcome | 'interrupted'; state: LaneState }
  /** The classes of the config cannot be used. */
  | { unfit: string };

/** Answer of a port. An interruption ends the lane, a refusal suspends it, and any other failure is the agent's. */
export type PortAnswer =
  | { value: unknown }
  | { failed: EpisodeError; how: 'failure' | 'refusal' | 'interruption' };

/** Failure of a port. */
class PortError extends Error {
  constructor({ type, message }: EpisodeError) {
    super(message);
    this.name = type;
  }
}

/** Interruption of the lane. */
class InterruptedError extends PortError {}

/** Errors that are no episode's: they end the lane. */
const INTERRUPTIONS = [InterruptedError, CallRefusedError, AgentShapeError];

/** Asks the session that a lane belongs to. What comes after an interruption is refused. */
class Session {
  readonly interrupted: Promise<never>;
  private over: Error | undefined;
  private reject: (error: Error) => void = () => undefined;

  constructor(private readonly around: Surroundings) {
    this.interrupted = new Promise((_, reject) => {
      this.reject = reject;
    });
    this.interrupted.catch(() => undefined);
    around.signal.addEventListener('abort', () => {
      this.interrupt(new InterruptedError({ type: 'Cancelled', message: 'the run was cancelled' }));
    });
  }

  /** @throws PortError, CallRefusedError, InterruptedError */
  async ask(port: string, ...given: unknown[]): Promise<never> {
    if (this.over !== undefined) throw this.over;
    const answer = (await this.around.ask(port, ...given)) as PortAnswer;
    if ('value' in answer) return answer.value as never;
    const { failed, how } = answer;
    if (how === 'failure') throw new PortError(failed);
    throw this.interrupt(how === 'refusal' ? new CallRefusedError() : new InterruptedError(failed));
  }

  private interrupt(error: Error): Error {
    this.over ??= error;
    this.reject(this.over);
    return this.over;
  }
}

/**
 * Runs a lane whose agent or memory is a user's, in the thread of that code: everything else is asked of the session
 * that the lane belongs to, by the names of {@link LanePorts}. A lane that is run again from the same state asks the
 * same, and is answered as before.
 */
export async function ownLane(input: OwnLaneInput, around: Surroundings): Promise<OwnLaneResult> {
  const { agent: config, memory, rules, code, keptEvery } = input;
  const session = new Session(around);
  const turns = new AgentTurns({
    limitMs: input.turnMs,
    interrupted: session.interrupted,
    ended: new Map(input.ended),
    onTurn: (number) => {
      around.tell('turn', number);
      around.renewLog();
    },
  });
  const journal: MemoryJournal = {
    append: (...entry) => around.tell('append', ...entry),
    search: (...query) => turns.meanwhile(session.ask('search', ...query)),
  };
  const makeAgent = await agentFactory(config, code);
  const makeMemory = await memoryFactory(memory, code);
  /** State at the beginning of the episode in progress, if its agent cannot be continued within one. */
  let before: LaneState | null = null;
  /** Known once there is an agent. */
  let continues: boolean | null = null;
  let recorded = 0;
  let keptAt = Number.NEGATIVE_INFINITY;
  const keeps = () => recorded > 0 && Date.now() - keptAt >= keptEvery;
  const ports: LanePorts = {
    rules,
    mayProceed: async (boundary) => {
      if (boundary === 'step') return session.ask('mayProceed', boundary, null);
      const state = continues === true && !keeps() ? null : lane.snapshot();
      before = continues === true ? null : state;
      const kept = keeps() ? state : null;
      if (kept !== null) keptAt = Date.now();
      return session.ask('mayProceed', boundary, kept);
    },
    openSample: (...sample) => session.ask('openSample', ...sample),
    step: (...step) => session.ask('step', ...step),
    generate: (...call) => turns.meanwhile(session.ask('generate', ...call)),
    execute: (...program) => turns.meanwhile(session.ask('execute', ...program)),
    createAgent: (tools) => {
      const agent = makeAgent(tools, turns);
      continues = agent.continues !== false;
      return agent;
    },
    createMemory: (saved) => makeMemory(saved, journal),
    record: async (episode) => {
      recorded += 1;
      await session.ask('record', episode);
    },
    now: Date.now,
    isInterruption: (error) => INTERRUPTIONS.some((type) => error instanceof type),
    describeError: (thrown) => {
      const error = asError(thrown);
      const isPorts = error instanceof PortError;
      return { type: error.name, message: isPorts ? error.message : messageWithPlace(error, fileOf(input)) };
    },
  };
  let lane: Lane;
  try {
    lane = new Lane(input.state, ports);
  } catch (error) {
    return { unfit: `memory.file: the class cannot be made: ${messageWithPlace(error, fileOf(input))}` };
  }
  /** An agent that cannot be continued within an episode begins it again: its calls are answered as before. */
  const state = () => {
    const now = lane.snapshot();
    return now.episode !== undefined && continues === false && before !== null ? before : now;
  };
  try {
    return { outcome: await lane.run(), state: state() };
  } catch (error) {
    if (error instanceof InterruptedError) return { outcome: 'interrupted', state: state() };
    if (error instanceof AgentShapeError || error instanceof InvalidInputError)
      return { unfit: error.message };
    throw error;
  }
}

export const OWN_LANE = threadWork(import.meta.url, ownLane);

/** Returns the file of the user's agent, or else of the user's memory. */
function fileOf({ agent, memory }: Pick<OwnLaneInput, 'agent' | 'memory'>): string | undefined {
  if ('file' in agent) return agent.file as string;
  return memory._type === 'own' ? memory.file : undefined;
}
