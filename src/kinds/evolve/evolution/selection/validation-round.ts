import { checkScore, type Validation } from '../scores.js';

/** Validations that are all known when an iteration begins. Plain JSON. */
export interface ValidationRound {
  readonly iteration: number;
  /** Number of requested parents. */
  readonly wanted: number;
  /** Ids to validate, in order. */
  readonly due: readonly string[];
  /** True once `due` was offered. */
  readonly offered: boolean;
  readonly validations: Readonly<Record<string, Validation>>;
}

export function startRound(iteration: number, wanted: number, due: readonly string[]): ValidationRound {
  if (!Number.isSafeInteger(wanted) || wanted < 1) throw new RangeError(`${wanted} parents cannot be chosen`);
  if (new Set(due).size !== due.length) throw new RangeError('a scaffold would be validated twice');
  return { iteration, wanted, due, offered: false, validations: {} };
}

/** Returns the round. @throws RangeError where no iteration has begun. */
export function begunRound(round: ValidationRound | null): ValidationRound {
  if (round === null) throw new RangeError('no iteration has begun');
  return round;
}

/** Offers the ids to validate, once. */
export function offerRound(round: ValidationRound): { round: ValidationRound; due: string[] } {
  return round.offered ? { round, due: [] } : { round: { ...round, offered: true }, due: [...round.due] };
}

export function widenRound(round: ValidationRound, more: number): ValidationRound {
  return { ...round, wanted: round.wanted + more };
}

/**
 * Records a validation. @throws RangeError where it was not offered, is recorded already, or its score is not finite.
 */
export function recordInRound(round: ValidationRound, id: string, validation: Validation): ValidationRound {
  checkAwaited(round, id);
  checkScore(validation.score, `the score of scaffold ${id}`);
  return { ...round, validations: { ...round.validations, [id]: validation } };
}

/**
 * Removes a scaffold that got no score.
 * @throws RangeError where the scaffold was not offered, or was recorded already.
 */
export function withdrawFromRound(round: ValidationRound, id: string): ValidationRound {
  checkAwaited(round, id);
  return { ...round, due: round.due.filter((due) => due !== id) };
}

function checkAwaited({ offered, due, validations }: ValidationRound, id: string): void {
  if (!offered || !due.includes(id)) {
    throw new RangeError(`the validation of scaffold ${id} was not asked for`);
  }
  if (validations[id] !== undefined) throw new RangeError(`scaffold ${id} was validated already`);
}

export function isComplete(round: ValidationRound): boolean {
  return round.due.every((id) => round.validations[id] !== undefined);
}
