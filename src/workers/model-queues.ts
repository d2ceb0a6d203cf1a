import type { InjectedSinks, Worker, WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { WorkerSinks } from '../workflows/sinks.js';

type CreateWorker = (options: Partial<WorkerOptions> & { taskQueue: string }) => Promise<Worker>;

/**
 * Polls the rate-limited task queues that the workflows in this worker use. A shard names its queue through a sink,
 * also when it is replayed: whichever worker holds a shard polls its queue, so a queue never stays without a worker.
 * The server holds the rate (`maxTaskQueueActivitiesPerSecond`) across all workers.
 */
export class ModelQueues {
  private readonly workers = new Map<string, Promise<void>>();
  private readonly running: Worker[] = [];
  private closed = false;

  constructor(
    private readonly create: CreateWorker,
    private readonly logger: Logger,
  ) {}

  readonly sinks: InjectedSinks<WorkerSinks> = {
    modelQueues: {
      use: {
        fn: (_info, queue, requestsPerSecond) => this.use(queue, requestsPerSecond),
        callDuringReplay: true,
      },
    },
  };

  private use(queue: string, requestsPerSecond: number): void {
    if (this.closed || this.workers.has(queue)) return;
    const polling = this.poll(queue, requestsPerSecond).catch((error: unknown) => {
      this.logger.error({ queue, error: String(error) }, 'cannot poll the queue');
      this.workers.delete(queue);
    });
    this.workers.set(queue, polling);
  }

  private async poll(queue: string, requestsPerSecond: number): Promise<void> {
    const worker = await this.create({
      taskQueue: queue,
      maxTaskQueueActivitiesPerSecond: requestsPerSecond,
    });
    this.running.push(worker);
    if (this.closed) worker.shutdown();
    await worker.run();
  }

  /** Ends every poller and waits for its activities. */
  async shutdown(): Promise<void> {
    this.closed = true;
    for (const worker of this.running) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.all(this.workers.values());
  }
}
