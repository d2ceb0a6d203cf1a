import { condition, workflowInfo } from './sdk.js';

/**
 * Works on items, so many at once, until there are no more or none may be begun. Waits for those in flight.
 * @param control says whether another one may be begun beside so many, and whether any may be begun at all
 * @param begun how many executions before this one have begun
 * @returns how many were begun in all: fewer than there are where the history grew long, or the experiment may not go on.
 * @throws what the first one that fails throws, after those in flight have ended.
 */
async function beginEach<Item>(
  items: readonly Item[],
  { control, begun }: { control: { hasRoom(going: number): boolean; goesOn(): boolean }; begun: number },
  work: (item: Item) => Promise<void>,
): Promise<number> {
  const going = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let next = begun;
  try {
    while (next < items.length && control.goesOn() && !workflowInfo().continueAsNewSuggested) {
      await condition(() => failure !== undefined || control.hasRoom(going.size) || !control.goesOn());
      if (failure !== undefined || !control.goesOn()) break;
      const working: Promise<void> = work(items[next] as Item)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => going.delete(working));
      going.add(working);
      next += 1;
    }
  } finally {
    // Also where the wait for room was cancelled.
    await Promise.all(going);
  }
  if (failure !== undefined) throw failure.error;
  return next;
}

/**
 * Works on all items of an experiment, in as many executions as that takes: the history of one must not grow too long.
 * @param carried from the execution before, which has begun so many
 */
export async function beginAll<Item>(
  items: readonly Item[],
  {
    control,
    carried,
    handOver,
  }: {
    control: { hasRoom(going: number): boolean; goesOn(): boolean; allBegun(): void };
    carried: { begun: number } | undefined;
    handOver(more: { begun: number }): Promise<never>;
  },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const begun = await beginEach(items, { control, begun: carried?.begun ?? 0 }, work);
  if (begun === items.length) control.allBegun();
  else if (control.goesOn()) await handOver({ begun });
}
