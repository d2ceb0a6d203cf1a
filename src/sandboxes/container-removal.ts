import { isOrphan, LABEL, LABEL_VALUE } from './container-owner.js';
import type { DockerDaemon } from './docker-daemon.js';
import { hasStatus } from './docker-errors.js';

const SWEEP_INTERVAL_MS = 60_000;
const REMOVE_TIMEOUT_MS = 60_000;

/** Removal of containers: this sandbox's and those that others left behind. */
export class ContainerRemoval {
  private readonly inProgress = new Map<string, Promise<boolean>>();
  /** Names of containers that could not be removed after use. */
  private readonly leftovers = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly daemon: DockerDaemon) {}

  /** Starts regular sweeps, which do not keep the process alive. */
  startSweeping(): void {
    this.timer ??= setInterval(() => void this.sweep().catch(() => {}), SWEEP_INTERVAL_MS).unref();
  }

  stopSweeping(): void {
    clearInterval(this.timer);
  }

  /**
   * Removes abandoned containers: of dead processes of this host, and of any machine if their deadline is long past.
   * Returns their number.
   */
  async sweep(): Promise<number> {
    const filters = { label: [`${LABEL}=${LABEL_VALUE}`] };
    const containers = await this.daemon.call((client, abortSignal) =>
      client.listContainers({ all: true, filters, abortSignal }),
    );
    const orphans = containers.filter(({ Labels }) => isOrphan(Labels)).map(({ Id }) => Id);
    const removed = await Promise.all([...orphans, ...this.leftovers].map((name) => this.remove(name)));
    return removed.filter(Boolean).length;
  }

  /** Ends and removes a container. Reports whether it was removed; never rejects: a sweep retries failed removals. */
  remove(name: string): Promise<boolean> {
    const removal = this.inProgress.get(name) ?? this.removeNow(name);
    this.inProgress.set(name, removal);
    return removal;
  }

  /** Number of removals in progress. */
  get count(): number {
    return this.inProgress.size;
  }

  /** Resolves when all requested removals have ended, including one more attempt for failed ones. */
  async settled(): Promise<void> {
    await Promise.all([...this.inProgress.values(), ...[...this.leftovers].map((name) => this.remove(name))]);
  }

  private async removeNow(name: string): Promise<boolean> {
    try {
      await this.daemon.call(
        (client, abortSignal) =>
          client.getContainer(name).remove({ force: true, v: true, ...{ abortSignal } }),
        REMOVE_TIMEOUT_MS,
      );
      this.leftovers.delete(name);
      return true;
    } catch (error) {
      // It does not exist, or is being removed already.
      const isGone = hasStatus(error, 404) || hasStatus(error, 409);
      if (isGone) this.leftovers.delete(name);
      else this.leftovers.add(name);
      return false;
    } finally {
      this.inProgress.delete(name);
    }
  }
}
