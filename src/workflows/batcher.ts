import { condition } from '@temporalio/workflow';

/**
 * Gathers what several lanes ask for within one workflow activation into one call, so that a hundred replies that
 * arrive together cost one marker event and not a hundred. Answers come in the order of the items.
 */
export function batched<Item, Answer>(
  call: (items: Item[]) => Promise<Answer[]>,
): (item: Item) => Promise<Answer> {
  let open: { items: Item[]; answers: Promise<Answer[]> } | undefined;
  return async (item) => {
    if (open === undefined) {
      const items: Item[] = [];
      const answers = (async () => {
        // Lets every lane that this activation woke get here.
        await condition(() => true);
        open = undefined;
        return call(items);
      })();
      open = { items, answers };
    }
    const batch = open;
    const position = batch.items.push(item) - 1;
    return (await batch.answers)[position] as Answer;
  };
}
