/** Maximum milliseconds for which others wait for one: a crash of its worker would mostly have happened by then. */
const LONGEST_HOLD = 10_000;

/** Place in the gate, taken at once or after a wait. */
export interface Place {
  /** Turn to wait for; null if it may begin at once. */
  turn: Promise<void> | null;
  /** Frees the place after its work, or stops waiting. */
  leave(): void;
}

/**
 * Admits a suspect alone: no other one begins beside it, and it waits until those inside are done, since it would be
 * blamed for their crashes. Suspects go first, in their order.
 */
export class SuspectGate {
  private readonly inside = new Set<object>();
  private readonly suspects = new Set<() => void>();
  private readonly others = new Set<() => void>();
  private isHeld = false;

  constructor(private readonly hold = LONGEST_HOLD) {}

  enter(isSuspect: boolean): Place {
    const one = {};
    const queue = isSuspect ? this.suspects : this.others;
    let begin: () => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    const admit = () => {
      queue.delete(admit);
      this.inside.add(one);
      this.isHeld = isSuspect;
      timer = setTimeout(leave, this.hold).unref();
      begin();
    };
    const leave = () => {
      clearTimeout(timer);
      queue.delete(admit);
      this.inside.delete(one);
      this.letIn();
    };
    queue.add(admit);
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    this.letIn();
    return { turn: this.inside.has(one) ? null : turn, leave };
  }

  private letIn(): void {
    const [suspect] = this.suspects;
    if (suspect !== undefined) {
      if (this.inside.size === 0) suspect();
      return;
    }
    if (this.inside.size > 0 && this.isHeld) return;
    for (const admit of this.others) admit();
  }
}
