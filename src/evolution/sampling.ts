import { createRandom } from '../statistics/random.js';

/** What an experiment's random choices hang on. */
export type Seed = number | string;

/** What a choice of training examples is for. */
export interface TrainingChoice {
  seed: Seed;
  iteration: number;
  purpose: 'generate' | 'evolve' | 'draft';
  /** The scaffold that is generated or drafted, or the one that is evolved. */
  scaffold_id: string;
}

/**
 * The ids of the examples that validate every scaffold of an iteration, in the order of `ids`. They depend on the seed,
 * the iteration and the set of ids only: not on the order of the rows, nor on what was drawn before. Of a larger
 * `count` they are a part.
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
 * The ids of the training examples for one generation or evolution, in random order. Every try of the same scaffold
 * sees the same ones, and scaffolds that are made at the same time do not disturb each other.
 */
export function trainingExamples(ids: readonly string[], count: number, choice: TrainingChoice): string[] {
  const { seed, iteration, purpose, scaffold_id } = choice;
  return drawn(ids, count, `training:${seed}:${purpose}:${iteration}:${scaffold_id}`);
}

/**
 * Gives every id a random number of its own and takes the smallest (bottom-k sampling; Cohen and Kaplan 2007).
 * Each subset is as likely as every other one.
 */
function drawn(ids: readonly string[], count: number, stream: string): string[] {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} examples cannot be drawn`);
  return ids
    .map((id) => ({ id, key: createRandom(`${stream}:${id}`)() }))
    .sort((left, right) => left.key - right.key || (left.id < right.id ? -1 : 1))
    .slice(0, count)
    .map(({ id }) => id);
}
