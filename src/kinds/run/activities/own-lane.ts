import { relative } from 'node:path';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { sinkOf } from '../../../activities/run-log.js';
import { TURN_TIMEOUT_SEC } from '../../../config/agent-schemas.js';
import { InvalidInputError } from '../../../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../../../config/named-files.js';
import type { EpisodeError, EpisodeRecord } from '../../../contracts/results.js';
import { type Functions, offered } from '../../../runtime/offers.js';
import { CodeEndedError } from '../../../user-code/code-pool.js';
import type { CodeRunner } from '../../../user-code/code-runner.js';
import { withLog } from '../../../user-code/log.js';
import { surroundingsHere } from '../../../user-code/thread-work.js';
import type { OwnLaneActivities } from '../contracts.js';
import type { LaneState } from '../lane/lane-state.js';
import { OWN_LANE, type OwnLaneInput, type OwnLaneResult, ownLane, type PortAnswer } from '../own-lane.js';
import type { RunContext, RunContexts } from './run-context.js';

/** Milliseconds between two kept states of a lane whose samples share one memory, which may be large. */
const KEPT_EVERY = 1000;

type Ask = (...given: unknown[]) => Promise<PortAnswer>;

/**
 * Lane of a user's agent in a thread, and what its session has answered since the state that is kept: a lane that loses
 * its thread begins again there, is given the same answers, and asks for nothing twice. A turn that has cost a thread is
 * not taken again: it has an error in its place.
 */
class LaneInThread {
  private readonly answers = new Map<string, Promise<PortAnswer>[]>();
  /** Number of the same questions that this attempt has asked. */
  private asked = new Map<string, number>();
  /** Newest turn, turn of the kept state, and turn that this attempt began with. */
  private turn = 0;
  private turnOfKept = 0;
  private begunWith = 0;
  private readonly ended = new Map<number, EpisodeError>();

  constructor(
    private readonly run: RunContext,
    private readonly session: Functions,
    private kept: LaneState,
  ) {}

  async result({ pool, compare }: CodeRunner): Promise<OwnLaneResult> {
    const { config } = this.run;
    const { agent, memory } = config;
    if (pool === null) {
      const offers = { ...this.session, turn: () => undefined };
      return ownLane(this.input(), surroundingsHere(compare, this.turnMs, offers));
    }
    const files = {
      'agent.file': (agent as { file?: string }).file,
      'memory.file': (memory as { file?: string }).file,
    };
    for (const [field, file] of Object.entries(files))
      if (file !== undefined) checkFile(field, file, 'code', CODE_ENDINGS);
    const stop = new AbortController();
    Promise.resolve(this.session.interrupted?.()).catch(() => stop.abort());
    const { signal } = stop;
    for (;;) {
      try {
        const options = { timeoutMs: this.turnMs, mayWait: true, compare, signal, offers: this.offers() };
        return await pool.run(OWN_LANE, () => this.input(), options);
      } catch (error) {
        if (!(error instanceof CodeEndedError)) throw error;
        this.endTurn(error);
      }
    }
  }

  private get turnMs(): number {
    const { turn_timeout_sec = TURN_TIMEOUT_SEC } = this.run.config.agent as { turn_timeout_sec?: number };
    return turn_timeout_sec * 1000;
  }

  /** Returns what the next attempt begins with. */
  private input(): OwnLaneInput {
    const { agent, memory, runtime } = this.run.config;
    this.asked = new Map();
    this.begunWith = this.turn = this.turnOfKept;
    const ended = [...this.ended].map(([turn, error]) => [turn - this.turnOfKept, error] as const);
    return {
      ...{
        agent,
        memory,
        rules: this.run.rules,
        state: this.kept,
        code: this.run.ownCode,
        turnMs: this.turnMs,
      },
      keptEvery: runtime.memory_scope === 'sample' ? 0 : KEPT_EVERY,
      ended: ended.filter(([turn]) => turn > 0),
    };
  }

  private offers(): Functions {
    const once = (port: string): Ask => {
      return (...given) => this.once(port, given);
    };
    return {
      turn: (number: number) => {
        this.turn = this.begunWith + number;
      },
      mayProceed: (boundary: string, state: LaneState | null) => {
        if (state !== null) this.keep(state);
        return this.session.mayProceed?.(...([boundary, state] as never[]));
      },
      ...Object.fromEntries(
        ['openSample', 'step', 'generate', 'execute', 'record', 'search', 'append'].map((port) => [
          port,
          once(port),
        ]),
      ),
    };
  }

  private keep(state: LaneState): void {
    this.kept = state;
    this.turnOfKept = this.turn;
    // An attempt before this one may have asked more.
    for (const [question, number] of this.asked) {
      const further = this.answers.get(question)?.slice(number) ?? [];
      if (further.length === 0) this.answers.delete(question);
      else this.answers.set(question, further);
    }
    this.asked.clear();
  }

  /** Asks the session what no attempt has asked since the kept state; returns the same answer to the same question. */
  private once(port: string, given: unknown[]): Promise<PortAnswer> {
    const question = JSON.stringify([port, ...(port === 'record' ? identity(given) : given)]);
    const number = this.asked.get(question) ?? 0;
    this.asked.set(question, number + 1);
    const answers = this.answers.get(question) ?? [];
    this.answers.set(question, answers);
    answers[number] ??= Promise.resolve(this.session[port]?.(...(given as never[])) as Promise<PortAnswer>);
    return answers[number];
  }

  private endTurn({ how, place, message }: CodeEndedError): void {
    const { agent, memory } = this.run.config;
    const [field, file] =
      'file' in agent ? ['agent.file', agent.file] : ['memory.file', (memory as { file: string }).file];
    const at = place === undefined ? '' : ` (${shownPlace(place, file as string)})`;
    const long = `computed for ${this.turnMs / 1000} s without a pause${at}`;
    const error =
      how === 'computed'
        ? { type: 'EndlessLoop', message: `the agent ${long}; agent.turn_timeout_sec allows no more` }
        : { type: 'AgentEnded', message: `the agent ended its thread: ${message}` };
    // Code between two turns, such as a memory's, is in no episode.
    if (this.ended.has(this.turn))
      throw new InvalidInputError(`${field}: ${how === 'computed' ? long : message}`, field as string);
    this.ended.set(this.turn, error);
  }
}

/** Returns what names an episode: one that is taken again has other times. */
function identity([episode]: unknown[]): unknown[] {
  const { index, trial } = episode as EpisodeRecord;
  return [index, trial];
}

/** Returns a place from the folder of the user's file on. */
function shownPlace(place: string, file: string): string {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return place.startsWith(folder) ? place.slice(folder.length) : relative(process.cwd(), place);
}

/** Creates the activity that runs a lane with code of users for a session in this process. */
export function createOwnLane(runs: RunContexts, code: CodeRunner): OwnLaneActivities {
  return {
    runOwnLane: ({ run: uri, session, state }) =>
      heartbeating(async () => {
        const run = await runs.get(uri);
        const sink = sinkOf((component) => run.log(component), 'agent', {});
        return withLog(sink, () => new LaneInThread(run, offered(session), state).result(code));
      }),
  };
}
