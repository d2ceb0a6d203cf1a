import workerThreads, { type WorkerOptions } from 'node:worker_threads';

/** File of the SDK that runs workflows in a thread of their own. */
const SDK_THREAD = 'workflow-worker-thread';
/** File that runs in its place. */
const OWN_THREAD = new URL('./workflow-thread.cjs', import.meta.url);

/**
 * Creates a worker whose workflow thread starts from the files that were put together, and has no promise hook. If the
 * SDK starts its thread in another way, nothing is changed.
 *
 * The SDK stores where each promise was created, with a formatted stack for each of the fifty promises of a sample, to
 * answer its `__stack_trace` query; this took a third of that thread's time (docs/decisions/0009-speed.md).
 */
export async function withOwnThread<Created>(create: () => Promise<Created>): Promise<Created> {
  const threads = workerThreads as { Worker: typeof workerThreads.Worker };
  const Plain = threads.Worker;
  threads.Worker = class extends Plain {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(String(file).includes(SDK_THREAD) ? OWN_THREAD : file, options);
    }
  };
  try {
    return await create();
  } finally {
    threads.Worker = Plain;
  }
}
