/**
 * Processes items, up to `limit` at once. After a failure no new work begins; once all work in progress has ended, the
 * first error is thrown.
 */
export async function forEachBounded<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { error: unknown } | undefined;
  const run = async () => {
    while (next < items.length && failure === undefined) {
      const item = items[next++] as Item;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  if (failure !== undefined) throw failure.error;
}
