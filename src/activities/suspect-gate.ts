/** How near others a suspect may come. */
export type Suspicion = 'none' | 'few' | 'alone';

/** Somebody's place: at once, or after a wait. */
export interface Place {
  /** Null: it may begin. */
  wait: Promise<void> | null;
  /** It has ended, or waits no longer. */
  leave(): void;
}

interface Waiter {
  suspicion: Suspicion;
  admit(): void;
}

/** Suspects of the first degree at once. */
const FEW = 4;
/** Milliseconds for which one has others wait: what it would do to its worker, it would mostly have done by then. */
const LONGEST_HOLD = 30_000;

/**
 * Lets those in that may have ended their worker: a few at once, or one alone, and nobody new beside them. So their next
 * crash says more than the one before. Who is in already goes on, and one that is to be alone waits for that: it would
 * answer for what an unsuspected one does.
 */
export class SuspectGate {
  private readonly inside = new Map<object, Suspicion>();
  private readonly unsuspected = new Set<object>();
  private readonly suspects = new Set<Waiter>();
  private readonly others = new Set<Waiter>();

  constructor(private readonly hold = LONGEST_HOLD) {}

  enter(suspicion: Suspicion): Place {
    if (this.suspects.size === 0 && this.hasPlaceFor(suspicion)) {
      return { wait: null, leave: this.begin(suspicion) };
    }
    const queue = suspicion === 'none' ? this.others : this.suspects;
    let leave: () => void = () => {
      queue.delete(waiter);
      this.letIn();
    };
    let admit: () => void = () => undefined;
    const waiter: Waiter = {
      suspicion,
      admit: () => {
        queue.delete(waiter);
        leave = this.begin(suspicion);
        admit();
      },
    };
    const wait = new Promise<void>((resolve) => {
      admit = resolve;
    });
    queue.add(waiter);
    return { wait, leave: () => leave() };
  }

  private hasPlaceFor(suspicion: Suspicion): boolean {
    if (suspicion === 'few') {
      return this.inside.size < FEW && ![...this.inside.values()].includes('alone');
    }
    return this.inside.size === 0 && (suspicion === 'none' || this.unsuspected.size === 0);
  }

  private begin(suspicion: Suspicion): () => void {
    const one = {};
    if (suspicion === 'none') this.unsuspected.add(one);
    else this.inside.set(one, suspicion);
    const leave = () => {
      clearTimeout(timer);
      if (this.inside.delete(one) || this.unsuspected.delete(one)) this.letIn();
    };
    const timer = setTimeout(leave, this.hold);
    timer.unref();
    return leave;
  }

  /** First come, first served among suspects; the others when none of them is left. */
  private letIn(): void {
    for (const waiter of this.suspects) {
      if (!this.hasPlaceFor(waiter.suspicion)) return;
      waiter.admit();
    }
    if (this.inside.size === 0) for (const waiter of this.others) waiter.admit();
  }
}
