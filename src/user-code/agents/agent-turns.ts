/** Thrown into an agent that waits for what no run can bring. */
export class IdleAgentError extends Error {
  override readonly name = 'IdleAgent';
}

/** A turn whose agent waits for nothing that is under way. It is an object anew each time that it comes to that. */
export interface IdleTurn {
  end(error: Error): void;
}

/** The turns of one lane's agent, one after another, and what it has under way in them. */
export class AgentTurns {
  private end: ((error: Error) => void) | null = null;
  private calls = 0;
  private idle: IdleTurn | null = null;

  /**
   * @param idleOnes the idle turns of all lanes
   */
  constructor(private readonly idleOnes: Set<IdleTurn>) {}

  /** Lets an agent work. @throws what it throws, or what its turn is ended with. */
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

  /** Something that the agent waits for is under way; the same promise comes back. */
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
