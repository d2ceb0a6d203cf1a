import { condition, workflowInfo } from './sdk.js';

/**
 * Works on items, several at once, until there are no more or none may be begun. Waits for those in flight.
 * @param control reports whether another item may be begun beside those in flight, and whether any may be begun
 * @param begun number of items begun by earlier executions
 * @returns the number of items begun in all: fewer than there are if the history grew long or the experiment may not
 * continue.
 * @throws the error of the first item that fails, after those in flight have ended.
 */
async function beginEach<Item>(
  items: readonly Item[],
  { control, begun }: { control: { hasRoom(going: number): boolean; continues(): boolean }; begun: number },
  work: (item: Item) => Promise<void>,
): Promise<number> {
  const going = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let next = begun;
  try {
    while (next < items.length && control.continues() && !workflowInfo().continueAsNewSuggested) {
      await condition(() => failure !== undefined || control.hasRoom(going.size) || !control.continues());
      if (failure !== undefined || !control.continues()) break;
      const working: Promise<void> = work(items[next] as Item)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => going.delete(working));
      going.add(working);
      next += 1;
    }
  } finally {
    // Also if the wait for room was cancelled.
    await Promise.all(going);
  }
  if (failure !== undefined) throw failure.error;
  return next;
}

/**
 * Works on all items of an experiment, in as many executions as needed: the history of one must not grow too long.
 * @param carried number of items begun, from the execution before
 */
export async function beginAll<Item>(
  items: readonly Item[],
  {
    control,
    carried,
    handOver,
  }: {
    control: { hasRoom(going: number): boolean; continues(): boolean; allBegun(): void };
    carried: { begun: number } | undefined;
    handOver(more: { begun: number }): Promise<never>;
  },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const begun = await beginEach(items, { control, begun: carried?.begun ?? 0 }, work);
  if (begun === items.length) control.allBegun();
  else if (control.continues()) await handOver({ begun });
}
