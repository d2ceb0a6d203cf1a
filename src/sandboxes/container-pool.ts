import { NotBegunError } from './container-execution.js';
import type { WaitingContainer } from './container-start.js';
import type { ExecutionLimits } from './sandbox.js';
import { LATE, settle } from './settle.js';

/** Milliseconds after which an unused container is removed, and for which the peak of parallel programs counts. */
export const IDLE_MS = 10_000;

export interface ContainerSource {
  /** Starts a container. @throws the signal's reason, and the daemon's errors. */
  start(limits: ExecutionLimits, signal: AbortSignal): Promise<WaitingContainer>;
  /** Removes an unused container. Never throws. */
  discard(container: WaitingContainer): void;
}

/**
 * Pool that starts containers ahead of their programs, so that most programs find a waiting one. Each is used once.
 * While programs with the same limits follow each other within {@link IDLE_MS}, as many wait as have recently run in
 * parallel.
 */
export class ContainerPool {
  private readonly shelves = new Map<string, Shelf>();
  private readonly closing = new AbortController();

  constructor(
    private readonly source: ContainerSource,
    /** True if containers are started ahead. */
    private readonly isWarm = true,
  ) {}

  /**
   * Runs an action on a container, a waiting or a new one. One that has ended while it waited is replaced.
   * @throws the signal's reason, and the errors of a new container or the action.
   */
  async use<Result>(
    limits: ExecutionLimits,
    signal: AbortSignal,
    action: (container: WaitingContainer) => Promise<Result>,
  ): Promise<Result> {
    const shelf = this.shelfOf(limits);
    const isRecurring = shelf.enter();
    try {
      for (;;) {
        const spare = await shelf.take(signal);
        const container = spare ?? (await this.source.start(limits, signal));
        if (isRecurring && this.isWarm && !this.closing.signal.aborted) shelf.fill();
        try {
          return await action(container);
        } catch (error) {
          if (spare === null || !(error instanceof NotBegunError)) throw error;
        }
      }
    } finally {
      shelf.leave();
    }
  }

  /**
   * Resolves when every waiting container has been handed over for removal. Call it only when the pool is no longer
   * used: a caller that stops waiting for a container leaves it behind.
   */
  async close(): Promise<void> {
    this.closing.abort(new Error('the pool is closed'));
    await Promise.all([...this.shelves.values()].map((shelf) => shelf.clear()));
  }

  private shelfOf(limits: ExecutionLimits): Shelf {
    const { timeout_sec, memory_mb, cpus, pids, output_kb, tmpfs_mb } = limits;
    const key = [timeout_sec, memory_mb, cpus, pids, output_kb, tmpfs_mb].join();
    const shelf = this.shelves.get(key) ?? new Shelf(this.source, limits, this.closing.signal);
    this.shelves.set(key, shelf);
    return shelf;
  }
}

/** Container that waits for a program, or is being started. */
interface Spare {
  /** Container; null if it could not be started. */
  container: Promise<WaitingContainer | null>;
  idle: NodeJS.Timeout | undefined;
}

/** Containers of one set of limits. */
class Shelf {
  private spares: Spare[] = [];
  private inUse = 0;
  private peak = 0;
  private peakAt = Number.NEGATIVE_INFINITY;
  private usedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly source: ContainerSource,
    private readonly limits: ExecutionLimits,
    private readonly closing: AbortSignal,
  ) {}

  /** Registers a program. Reports whether another one ran within {@link IDLE_MS}. */
  enter(): boolean {
    const now = performance.now();
    const isRecurring = this.inUse > 0 || now - this.usedAt < IDLE_MS;
    this.inUse += 1;
    if (this.inUse >= this.peak || now - this.peakAt >= IDLE_MS) {
      this.peak = this.inUse;
      this.peakAt = now;
    }
    return isRecurring;
  }

  leave(): void {
    this.inUse -= 1;
    this.usedAt = performance.now();
  }

  /** Returns a container that waits or is being started; null if there is none. */
  async take(signal: AbortSignal): Promise<WaitingContainer | null> {
    for (let spare = this.spares.shift(); spare !== undefined; spare = this.spares.shift()) {
      try {
        const container = await settle(spare.container, Number.POSITIVE_INFINITY, signal);
        clearTimeout(spare.idle);
        if (container !== LATE && container !== null && !container.conversation.hasEnded()) return container;
        if (container !== LATE && container !== null) this.source.discard(container);
      } catch (error) {
        // The container is unused and still usable.
        this.spares.unshift(spare);
        throw error;
      }
    }
    return null;
  }

  /** Starts the missing containers. */
  fill(): void {
    while (this.spares.length < this.peak) {
      const spare: Spare = { container: this.start(), idle: undefined };
      this.spares.push(spare);
      void spare.container.then((container) => this.shelve(spare, container));
    }
  }

  async clear(): Promise<void> {
    await Promise.all(this.spares.map(async (spare) => this.remove(spare, await spare.container)));
  }

  private shelve(spare: Spare, container: WaitingContainer | null): void {
    if (container === null) {
      this.remove(spare, null);
      return;
    }
    const remove = () => this.remove(spare, container);
    if (!this.spares.includes(spare)) return;
    spare.idle = setTimeout(remove, IDLE_MS);
    void container.conversation.answer.then(remove);
  }

  /** Removes a container that has not been taken. */
  private remove(spare: Spare, container: WaitingContainer | null): void {
    clearTimeout(spare.idle);
    if (!this.spares.includes(spare)) return;
    this.spares = this.spares.filter((other) => other !== spare);
    if (container !== null) this.source.discard(container);
  }

  /** Starts a container ahead. Errors are ignored: they occur again when a container is started for a program. */
  private start(): Promise<WaitingContainer | null> {
    return this.source.start(this.limits, this.closing).catch(() => null);
  }
}
