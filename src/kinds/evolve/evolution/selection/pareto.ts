import { createRandom } from '../../../../statistics/random.js';
import { compareScaffoldIds } from '../ids.js';
import type { Seed } from '../sampling.js';
import type { Validation } from '../scores.js';
import type { IterationStart, Selection } from '../selection.js';
import { drawWeighted } from './draw.js';
import {
  begunRound,
  isComplete,
  offerRound,
  recordInRound,
  startRound,
  type ValidationRound,
  widenRound,
  withdrawFromRound,
} from './validation-round.js';

export interface ParetoState {
  kind: 'pareto';
  seed: Seed;
  round: ValidationRound | null;
}

/**
 * Evolves scaffolds that are the best on at least one example (GEPA's candidate selection; Agrawal et al., 2025, arXiv
 * 2507.19457, algorithm 2). A scaffold that is needed for no example, since others are as good there, is dropped; each
 * of the others is drawn with a probability in proportion to the number of examples on which it is the best.
 *
 * The scaffolds on the front are validated again in each iteration, together with the new ones: the validation examples
 * change, and scores on different examples cannot be compared. The front has at most as many scaffolds as there are
 * validation examples. Where it has fewer than are to be evolved, the others follow by mean score.
 */
export class ParetoSelection implements Selection {
  static create(seed: Seed): ParetoSelection {
    return new ParetoSelection({ kind: 'pareto', seed, round: null });
  }

  private readonly seed: Seed;
  private round: ValidationRound | null;

  constructor(state: ParetoState) {
    this.seed = state.seed;
    this.round = state.round;
  }

  begin({ iteration, newcomers, parents }: IterationStart): void {
    if (this.round !== null && !isComplete(this.round)) throw new RangeError('validations are still open');
    const survivors = this.round === null ? [] : [...frontOf(this.round.validations).keys()];
    const due = [...newcomers.map(({ id }) => id), ...survivors].sort(compareScaffoldIds);
    this.round = startRound(iteration, parents, due);
  }

  offer(): string[] {
    const { round, due } = offerRound(begunRound(this.round));
    this.round = round;
    return due;
  }

  record(id: string, validation: Validation): void {
    this.round = recordInRound(begunRound(this.round), id, validation);
  }

  withdraw(id: string): void {
    this.round = withdrawFromRound(begunRound(this.round), id);
  }

  parents(): string[] | null {
    const round = begunRound(this.round);
    if (!isComplete(round)) return null;
    const random = createRandom(`pareto:${this.seed}:${round.iteration}`);
    const front = frontOf(round.validations);
    const left = [...front.keys()];
    const chosen: string[] = [];
    while (left.length > 0) {
      const id = drawWeighted(left, (one) => front.get(one) as number, random);
      left.splice(left.indexOf(id), 1);
      chosen.push(id);
    }
    const others = byMean(round.validations).filter((id) => !front.has(id));
    return [...chosen, ...others].slice(0, round.wanted);
  }

  widen(more: number): void {
    this.round = widenRound(begunRound(this.round), more);
  }

  snapshot(): ParetoState {
    return { kind: 'pareto', seed: this.seed, round: this.round };
  }
}

/** Sorts by mean, best first, then by id. */
function byMean(validations: Readonly<Record<string, Validation>>): string[] {
  const mean = (id: string) => validations[id]?.score ?? 0;
  return Object.keys(validations).sort(
    (left, right) => mean(right) - mean(left) || compareScaffoldIds(left, right),
  );
}

/**
 * Returns the scaffolds that no others replace on every example where they are the best, with the number of these
 * examples, by id.
 */
export function frontOf(validations: Readonly<Record<string, Validation>>): Map<string, number> {
  const fronts = frontsByExample(validations);
  const remaining = new Set(fronts.flat());
  // The weakest is tried first; of two that replace each other the younger is dropped.
  const candidates = byMean(validations)
    .toReversed()
    .filter((id) => remaining.has(id));
  for (const id of candidates) {
    const isReplaced = fronts
      .filter((front) => front.includes(id))
      .every((front) => front.some((other) => other !== id && remaining.has(other)));
    if (isReplaced) remaining.delete(id);
  }
  return new Map(
    [...remaining]
      .sort(compareScaffoldIds)
      .map((id) => [id, fronts.filter((front) => front.includes(id)).length]),
  );
}

/** Returns the best scaffolds of each example. */
function frontsByExample(validations: Readonly<Record<string, Validation>>): string[][] {
  const examples = new Set(Object.values(validations).flatMap(({ by_example }) => Object.keys(by_example)));
  return [...examples].map((example) => {
    const scored = Object.keys(validations).filter(
      (id) => validations[id]?.by_example[example] !== undefined,
    );
    const scores = scored.map((id) => validations[id]?.by_example[example] as number);
    const best = Math.max(...scores);
    return scored.filter((_, index) => scores[index] === best);
  });
}
