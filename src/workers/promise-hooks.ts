import { fileURLToPath } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

/** Files that may be preloaded into the workflow thread. */
export const PRELOADS = {
  noPromiseHook: fileURLToPath(new URL('./no-promise-hook.cjs', import.meta.url)),
  unawaitedPromises: fileURLToPath(new URL('../user-code/agents/unawaited-promises.cjs', import.meta.url)),
};
/** File of the SDK that runs workflows in a thread of their own. */
const WORKFLOW_THREAD = 'workflow-worker-thread';

/**
 * Creates a worker with files preloaded into its workflow thread. If the SDK starts its thread in another way, nothing
 * is changed.
 *
 * The SDK stores where each promise was created, with a formatted stack for each of the fifty promises of a sample, to
 * answer its `__stack_trace` query; this took a third of that thread's time (docs/decisions/0009-speed.md).
 */
export async function withPreloads<Created>(
  preloads: readonly string[],
  create: () => Promise<Created>,
): Promise<Created> {
  const threads = workerThreads as { Worker: typeof workerThreads.Worker };
  const Plain = threads.Worker;
  const required = preloads.flatMap((file) => ['--require', file]);
  threads.Worker = class extends Plain {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      const execArgv = [...(options.execArgv ?? process.execArgv), ...required];
      super(file, String(file).includes(WORKFLOW_THREAD) ? { ...options, execArgv } : options);
    }
  };
  try {
    return await create();
  } finally {
    threads.Worker = Plain;
  }
}
