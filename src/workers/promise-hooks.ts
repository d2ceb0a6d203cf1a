import { fileURLToPath } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

const PRELOAD = fileURLToPath(new URL('./no-promise-hook.cjs', import.meta.url));
/** The file of the SDK that runs workflows in a thread of their own. */
const WORKFLOW_THREAD = 'workflow-worker-thread';

/**
 * Creates a worker whose workflow thread does not note where each promise was made. The SDK does so, with a formatted
 * stack for each of the fifty promises of a sample, to answer its `__stack_trace` query; it took a third of that
 * thread's time (docs/decisions/0009-speed.md). Where the SDK starts its thread in another way, nothing is changed.
 */
export async function withoutPromiseHooks<Created>(create: () => Promise<Created>): Promise<Created> {
  const threads = workerThreads as { Worker: typeof workerThreads.Worker };
  const Plain = threads.Worker;
  threads.Worker = class extends Plain {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      const execArgv = [...(options.execArgv ?? process.execArgv), '--require', PRELOAD];
      super(file, String(file).includes(WORKFLOW_THREAD) ? { ...options, execArgv } : options);
    }
  };
  try {
    return await create();
  } finally {
    threads.Worker = Plain;
  }
}
