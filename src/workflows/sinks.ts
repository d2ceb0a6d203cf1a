import { proxySinks, type Sinks } from '@temporalio/workflow';

/** What a workflow tells the worker it runs on, on every replay as well. */
export interface WorkerSinks extends Sinks {
  modelQueues: {
    /** A shard in this worker uses this rate-limited queue, so the worker polls it. */
    use(queue: string, requestsPerSecond: number): void;
  };
}

export const { modelQueues } = proxySinks<WorkerSinks>();
