import { createRandom } from '../../../statistics/random.js';

/** Seed of an experiment's random choices. */
export type Seed = number | string;

/** One hand of training examples. */
export interface Hand {
  seed: Seed;
  purpose: 'generate' | 'evolve' | 'draft';
  /** Number from 0; every purpose has its own series of hands. */
  hand: number;
}

/**
 * Returns the ids of the examples that validate every scaffold of an iteration, in the order of `ids`. They depend only
 * on the seed, the iteration and the set of ids: not on the order of the rows or on earlier draws. They are a part of
 * those for a larger `count`.
 */
export function validationSubset(
  ids: readonly string[],
  count: number,
  choice: { seed: Seed; iteration: number },
): string[] {
  const chosen = new Set(drawn(ids, count, `validation:${choice.seed}:${choice.iteration}`));
  return ids.filter((id) => chosen.has(id));
}

/**
 * Returns the ids of a hand of training examples, dealt from a shuffled deck: none occurs again until all have, and
 * then the deck is shuffled again. Earlier hands follow from the number of the hand, so every try of a scaffold sees
 * the same examples, and scaffolds that are made at the same time do not affect each other.
 */
export function dealtExamples(
  ids: readonly string[],
  count: number,
  { seed, purpose, hand }: Hand,
): string[] {
  const size = Math.min(count, ids.length);
  if (!(size > 0)) return drawn(ids, count, '');
  const first = hand * size;
  const last = first + size - 1;
  let deck: string[] = [];
  let dealt: string[] = [];
  for (let round = 0; round * ids.length <= last; round += 1) {
    const start = round * ids.length;
    // A hand may end one deck and begin the next: its ids from the old deck come last in the new one.
    const ending = new Set(deck.slice(deck.length - (start % size)));
    const shuffled = drawn(ids, ids.length, `training:${seed}:${purpose}:${round}`);
    deck = [...shuffled.filter((id) => !ending.has(id)), ...shuffled.filter((id) => ending.has(id))];
    dealt = [...dealt, ...deck.filter((_, index) => start + index >= first && start + index <= last)];
  }
  return dealt;
}

/**
 * Gives every id a random number of its own and takes the smallest (bottom-k sampling; Cohen and Kaplan 2007). All
 * subsets are equally likely.
 */
function drawn(ids: readonly string[], count: number, stream: string): string[] {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} examples cannot be drawn`);
  return ids
    .map((id) => ({ id, key: createRandom(`${stream}:${id}`)() }))
    .sort((left, right) => left.key - right.key || (left.id < right.id ? -1 : 1))
    .slice(0, count)
    .map(({ id }) => id);
}
