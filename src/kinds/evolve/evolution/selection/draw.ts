import type { Random } from '../../../../statistics/random.js';

/** Draws one item, with a probability in proportion to its weight (above 0). `items` is not empty. */
export function drawWeighted<Item>(
  items: readonly Item[],
  weight: (item: Item, index: number) => number,
  random: Random,
): Item {
  const weights = items.map(weight);
  const total = weights.reduce((sum, one) => sum + one, 0);
  let left = random() * total;
  for (const [index, one] of weights.entries()) {
    left -= one;
    if (left < 0) return items[index] as Item;
  }
  // Rounding may leave a small rest.
  return items.at(-1) as Item;
}
