import { compareScaffoldIds } from './ids.js';
import { checkScore } from './scores.js';

/**
 * State of smart validation, which finds the top K scaffolds of an iteration with as few validations as the ranking
 * allows.
 *
 * The order is: new scaffolds without a score, then all others by their most recent score, highest first. While one of
 * the first K was not validated in this iteration, the highest such scaffold is validated, and the order is computed
 * again. An earlier scaffold that never ranks among the first K is never validated.
 *
 * Equal scores: one that was validated in this iteration ranks before one that was not, then the ids decide, in their
 * order.
 *
 * Validated concurrently are every new scaffold, and every other one that ranks among the first K unvalidated. The
 * sequential procedure validates exactly these too, whatever the scores will be: before it reaches such a scaffold it
 * can only have validated some that rank above it, so at most K - 1 are above it then. And a scaffold that it leaves
 * out has the final K above it from the start (each of them was validated, so it came first), which results that arrive
 * early cannot change. Whatever was offered must be validated, though, even if a result has meanwhile moved it below
 * the first K; so offers are part of the state.
 */
export interface RankingState {
  /** K. */
  readonly wanted: number;
  readonly scaffolds: readonly RankedScaffold[];
  /** Scores of this iteration by id. */
  readonly scores: Readonly<Record<string, number>>;
  /** Ids whose validation was requested, in that order. */
  readonly offered: readonly string[];
}

export interface RankedScaffold {
  id: string;
  /** Score of the last iteration that validated it; null for a new scaffold. */
  recent: number | null;
}

/**
 * Begins the ranking of an iteration.
 * @throws RangeError for a `wanted` below 1, a duplicate id, or a score that is not finite.
 */
export function startRanking(wanted: number, scaffolds: readonly RankedScaffold[]): RankingState {
  checkWanted(wanted);
  if (new Set(scaffolds.map(({ id }) => id)).size !== scaffolds.length) {
    throw new RangeError('a scaffold stands twice in the ranking');
  }
  for (const { id, recent } of scaffolds)
    if (recent !== null) checkScore(recent, `the score of scaffold ${id}`);
  return { wanted, scaffolds, scores: {}, offered: [] };
}

/** Takes the validations that may start now, highest first. Each is offered once, and must be recorded or withdrawn. */
export function offerValidations(state: RankingState): { state: RankingState; validate: string[] } {
  const order = ordered(state);
  const due = order.filter(({ id, recent }, rank) => {
    const isUnvalidated = state.scores[id] === undefined && !state.offered.includes(id);
    return isUnvalidated && (recent === null || rank < state.wanted);
  });
  const validate = due.map(({ id }) => id);
  return { state: { ...state, offered: [...state.offered, ...validate] }, validate };
}

/** Records a score. @throws RangeError where it was not offered, is recorded already, or is not finite. */
export function recordScore(state: RankingState, id: string, score: number): RankingState {
  checkAwaited(state, id);
  checkScore(score, `the score of scaffold ${id}`);
  return { ...state, scores: { ...state.scores, [id]: score } };
}

/**
 * Removes a scaffold that was offered and got no score.
 * @throws RangeError where it was not offered or has a score.
 */
export function withdrawScaffold(state: RankingState, id: string): RankingState {
  checkAwaited(state, id);
  return {
    ...state,
    scaffolds: state.scaffolds.filter((scaffold) => scaffold.id !== id),
    offered: state.offered.filter((offered) => offered !== id),
  };
}

/** Returns the top K (or all scaffolds, if fewer), best first; null while one of them still has to be validated. */
export function topScaffolds(state: RankingState): string[] | null {
  if (state.offered.some((id) => state.scores[id] === undefined)) return null;
  if (offerValidations(state).validate.length > 0) return null;
  return rankedIds(state).slice(0, state.wanted);
}

/** Returns every scaffold in the current order. */
export function rankedIds(state: RankingState): string[] {
  return ordered(state).map(({ id }) => id);
}

/** Raises K, for when some of the top K turn out to be unusable. */
export function widenRanking(state: RankingState, wanted: number): RankingState {
  checkWanted(wanted);
  return { ...state, wanted: Math.max(state.wanted, wanted) };
}

function ordered({ scaffolds, scores }: RankingState): RankedScaffold[] {
  const standing = ({ id, recent }: RankedScaffold) => scores[id] ?? recent ?? Number.POSITIVE_INFINITY;
  return [...scaffolds].sort((left, right) => {
    const [one, other] = [standing(left), standing(right)];
    // The difference of two infinities is NaN.
    if (one !== other) return one > other ? -1 : 1;
    const validated = Number(scores[right.id] !== undefined) - Number(scores[left.id] !== undefined);
    return validated || compareScaffoldIds(left.id, right.id);
  });
}

function checkAwaited({ offered, scores }: RankingState, id: string): void {
  if (!offered.includes(id)) throw new RangeError(`the validation of scaffold ${id} was not asked for`);
  if (scores[id] !== undefined) throw new RangeError(`scaffold ${id} was validated already`);
}

function checkWanted(wanted: number): void {
  if (!Number.isSafeInteger(wanted) || wanted < 1) throw new RangeError(`the top ${wanted} cannot be found`);
}
