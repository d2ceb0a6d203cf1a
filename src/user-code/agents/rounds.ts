/**
 * Maximum loop iterations and function calls of an agent's code without a pause, beyond which it is taken for endless:
 * some tenths of a second for small iterations.
 */
export const MAX_ROUNDS = 20_000_000;
/** Maximum awaits of an agent in one turn: ten seconds where a worker keeps every promise's stack trace. */
export const MAX_PAUSES = 200_000;

/** Error for an agent whose code would never end. */
export class EndlessLoopError extends Error {
  override readonly name = 'EndlessLoop';

  constructor(what: string) {
    super(`${what}: a loop without an end?`);
  }
}

let rounds = 0;
let pauses = 0;
let isBounded = (): boolean => true;

/** @param decide called where a limit is exceeded; reports whether it applies to the current run. */
export function boundRounds(decide: () => boolean): void {
  isBounded = decide;
}

/** Resets the counters before an agent's code. */
export function beginRounds(): void {
  rounds = 0;
  pauses = 0;
}

/**
 * Counts one iteration: the bundler inserts a call into every loop iteration and every function of an own agent. A
 * workflow has no clock for a time limit that would be the same in a replay.
 * @throws EndlessLoopError
 */
export function round(): void {
  rounds += 1;
  if (rounds > MAX_ROUNDS && isBounded()) {
    throw new EndlessLoopError(
      `the agent computed ${MAX_ROUNDS.toLocaleString('en')} rounds without a pause`,
    );
  }
}

/**
 * Counts an await of an own agent, and returns the awaited value.
 * @throws EndlessLoopError where it awaits available values again and again
 */
export function resumed<Value>(value: Value): Value {
  rounds = 0;
  pauses += 1;
  if (pauses > MAX_PAUSES && isBounded()) {
    throw new EndlessLoopError(`the agent awaited ${MAX_PAUSES.toLocaleString('en')} times in one turn`);
  }
  return value;
}
