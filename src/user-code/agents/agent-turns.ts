/** Error for an agent that waits for something that cannot happen. */
export class IdleAgentError extends Error {
  override readonly name = 'IdleAgent';
}

/** A turn whose agent waits for nothing in progress. Each time this happens, it is a new object. */
export interface IdleTurn {
  end(error: Error): void;
}

/** Turns of one lane's agent, one after another, and the number of its operations in progress. */
export class AgentTurns {
  private end: ((error: Error) => void) | null = null;
  private calls = 0;
  private idle: IdleTurn | null = null;

  /**
   * @param idleOnes the idle turns of all lanes
   */
  constructor(private readonly idleOnes: Set<IdleTurn>) {}

  /** Runs a turn. @throws the error of `work`, or that with which the turn is ended. */
  async take<Value>(work: () => Promise<Value>): Promise<Value> {
    const ended = new Promise<never>((_, reject) => {
      this.end = (error) => {
        this.over();
        reject(error);
      };
    });
    this.look();
    try {
      return await Promise.race([work(), ended]);
    } finally {
      this.over();
    }
  }

  /** Registers an operation in progress for which the agent waits; returns the same promise. */
  meanwhile<Value>(work: Promise<Value>): Promise<Value> {
    this.calls += 1;
    this.look();
    const over = () => {
      this.calls -= 1;
      this.look();
    };
    work.then(over, over);
    return work;
  }

  private over(): void {
    this.end = null;
    this.look();
  }

  private look(): void {
    const { end, idle } = this;
    const isIdle = end !== null && this.calls === 0;
    if (isIdle === (idle !== null)) return;
    if (idle !== null) this.idleOnes.delete(idle);
    this.idle = isIdle ? { end } : null;
    if (this.idle !== null) this.idleOnes.add(this.idle);
  }
}
