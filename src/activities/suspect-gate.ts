/** Milliseconds for which one has others wait: what it would do to its worker, it would mostly have done by then. */
const LONGEST_HOLD = 10_000;

/** Somebody's place: at once, or after a wait. */
export interface Place {
  /** Null: it may begin. */
  turn: Promise<void> | null;
  /** It has ended, or waits no longer. */
  leave(): void;
}

/**
 * Lets a suspect in alone: nobody new begins beside it, and it waits for who is in already, since it would answer for what
 * another one does. Suspects go first, in their order.
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
