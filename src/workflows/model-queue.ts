import { CancellationScope, sleep } from '@temporalio/workflow';
import type { RunPlan } from '../contracts/run.js';
import { modelQueues } from './sinks.js';

/** Five events of history each time, so not often. */
const REMINDER = '15s';

/** Tells the worker of a model's queue, so that it polls it; nothing where there is none. */
export function useModelQueue(queue: RunPlan['model_queue']): void {
  if (queue !== null) modelQueues.use(queue.name, queue.requests_per_second);
}

/**
 * Names the model's queue again from time to time while the work goes on. Where every worker that polled it has died,
 * all calls wait on it and nothing else would bring this workflow, which knows its name, to another worker.
 */
export async function withModelQueue(
  queue: RunPlan['model_queue'],
  work: () => Promise<void>,
): Promise<void> {
  if (queue === null) return work();
  const reminding = new CancellationScope();
  reminding
    .run(async () => {
      for (;;) {
        await sleep(REMINDER);
        useModelQueue(queue);
      }
    })
    .catch(() => undefined);
  try {
    await work();
  } finally {
    reminding.cancel();
  }
}
