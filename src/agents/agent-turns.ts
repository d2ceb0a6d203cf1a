import type { EpisodeError } from '../contracts/results.js';

/** Error of a turn that was not taken, since it would never end. */
class EndedTurnError extends Error {
  constructor({ type, message }: EpisodeError) {
    super(message);
    this.name = type;
  }
}

export interface TurnOptions {
  /** Milliseconds that a turn may wait for anything but its calls. */
  limitMs: number;
  /** Rejects if the agent is not to go on. */
  interrupted: Promise<never>;
  /** Errors of turns that are not taken, by number. */
  ended: ReadonlyMap<number, EpisodeError>;
  /** Called with the number of each turn, from 1, before it is taken. */
  onTurn(number: number): void;
}

/**
 * Turns of one agent of a user, one after another: each method that is called is one. A turn that waits, but for none
 * of its calls, is ended at a limit; one that computes without a pause can be ended only with its thread.
 */
export class AgentTurns {
  private taken = 0;
  private calls = 0;
  private late: ((error: Error) => void) | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: TurnOptions) {}

  /** Takes a turn that answers at once. @throws the error of `work`, or that of a turn that is not taken */
  atOnce<Value>(work: () => Value): Value {
    this.begin();
    return work();
  }

  /** Takes a turn. @throws the error of `work`, or that with which the turn is ended */
  async take<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    this.begin();
    const ended = new Promise<never>((_, reject) => {
      this.late = reject;
    });
    this.look();
    try {
      return await Promise.race([work(), ended, this.options.interrupted]);
    } finally {
      this.late = null;
      this.look();
    }
  }

  /** Registers a call for which the agent waits; returns the same promise. */
  meanwhile<Value>(call: Promise<Value>): Promise<Value> {
    this.calls += 1;
    this.look();
    const over = () => {
      this.calls -= 1;
      this.look();
    };
    call.then(over, over);
    return call;
  }

  private begin(): void {
    this.taken += 1;
    this.options.onTurn(this.taken);
    const ended = this.options.ended.get(this.taken);
    if (ended !== undefined) throw new EndedTurnError(ended);
  }

  private look(): void {
    clearTimeout(this.timer);
    const { late } = this;
    if (late === null || this.calls > 0) return;
    const { limitMs } = this.options;
    const message = `the agent waited ${limitMs / 1000} s for none of its calls (agent.turn_timeout_sec)`;
    this.timer = setTimeout(() => late(new EndedTurnError({ type: 'IdleAgent', message })), limitMs);
  }
}
