/**
 * What a pool of threads is to run.
 * @param thread a module whose default export takes a task
 */
export function threadModule(thread: URL): { filename: string; workerData: { thread: string } } {
  const loader = new URL('./thread-loader.cjs', import.meta.url);
  return { filename: loader.href, workerData: { thread: thread.href } };
}
