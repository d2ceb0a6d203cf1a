import { fileURLToPath } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

/** File that is preloaded into the workflow thread. */
const NO_PROMISE_HOOK = fileURLToPath(new URL('./no-promise-hook.cjs', import.meta.url));
/** File of the SDK that runs workflows in a thread of their own. */
const WORKFLOW_THREAD = 'workflow-worker-thread';

/**
 * Creates a worker whose workflow thread has no promise hook. If the SDK starts its thread in another way, nothing is
 * changed.
 *
 * The SDK stores where each promise was created, with a formatted stack for each of the fifty promises of a sample, to
 * answer its `__stack_trace` query; this took a third of that thread's time (docs/decisions/0009-speed.md).
 */
export async function withoutPromiseHook<Created>(create: () => Promise<Created>): Promise<Created> {
  const threads = workerThreads as { Worker: typeof workerThreads.Worker };
  const Plain = threads.Worker;
  threads.Worker = class extends Plain {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      const execArgv = [...(options.execArgv ?? process.execArgv), '--require', NO_PROMISE_HOOK];
      super(file, String(file).includes(WORKFLOW_THREAD) ? { ...options, execArgv } : options);
    }
  };
  try {
    return await create();
  } finally {
    threads.Worker = Plain;
  }
}
