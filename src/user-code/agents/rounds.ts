/**
 * Rounds of loops and calls of functions after which an agent's code that pauses nowhere is taken for endless: some tenths
 * of a second where they are small ones.
 */
export const MOST_ROUNDS = 20_000_000;
/** What an agent's code may await in one turn: ten seconds where a worker keeps the stack trace of every promise. */
export const MOST_PAUSES = 200_000;

/** Thrown into an agent whose code would never come to an end. */
export class EndlessLoopError extends Error {
  override readonly name = 'EndlessLoop';

  constructor(what: string) {
    super(`${what}: a loop without an end?`);
  }
}

let rounds = 0;
let pauses = 0;
let isBounded = (): boolean => true;

/** @param decide asked where the bound is passed: whether it holds for the run in work. */
export function boundRounds(decide: () => boolean): void {
  isBounded = decide;
}

/** The code of an agent begins. */
export function beginRounds(): void {
  rounds = 0;
  pauses = 0;
}

/**
 * Called in every round of an own agent's loops and in every one of its functions, where the bundler has put it. A workflow
 * has no clock to stop by that would say the same in a replay.
 * @throws EndlessLoopError
 */
export function round(): void {
  rounds += 1;
  if (rounds > MOST_ROUNDS && isBounded()) {
    throw new EndlessLoopError(
      `the agent computed ${MOST_ROUNDS.toLocaleString('en')} rounds without a pause`,
    );
  }
}

/**
 * Called with what an own agent has awaited, which comes back.
 * @throws EndlessLoopError where it awaits, again and again, what is there already
 */
export function resumed<Value>(value: Value): Value {
  rounds = 0;
  pauses += 1;
  if (pauses > MOST_PAUSES && isBounded()) {
    throw new EndlessLoopError(`the agent awaited ${MOST_PAUSES.toLocaleString('en')} times in one turn`);
  }
  return value;
}
