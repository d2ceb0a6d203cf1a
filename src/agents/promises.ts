/** What went wrong in an episode of an agent, and nothing has waited for. */
const unheard = new WeakMap<object, unknown[]>();

let tell: (error: unknown) => void = () => undefined;

/** @param told hears of what nothing has waited for, where no agent is known whose episode it belongs to. */
export function hearUnawaited(told: (error: unknown) => void): void {
  tell = told;
}

/** An episode of an agent begins: what an earlier one has left is none of its. */
export function beginUnawaited(agent: object): void {
  unheard.set(agent, []);
}

/** What was rejected since it was asked last. */
export function takeUnawaited(agent: object): unknown[] {
  return unheard.get(agent)?.splice(0) ?? [];
}

/**
 * Called with what an agent's code has called for, which comes back: a rejection waits for the code that awaits it later. A
 * workflow in which nothing waits for one at once fails for good, in every replay.
 */
export function kept<Value>(value: Value): Value {
  if (value instanceof Promise) value.then(undefined, () => undefined);
  return value;
}

/**
 * Called with what an agent's code has called for and makes no use of: nobody else hears of a rejection.
 * @param owner the object whose method has called for it
 */
export function dropped(value: unknown, owner?: unknown): void {
  if (!(value instanceof Promise)) return;
  const heard = typeof owner === 'object' && owner !== null ? unheard.get(owner) : undefined;
  value.then(undefined, (error: unknown) => {
    if (heard === undefined) tell(error);
    else heard.push(error);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: it may be any function.
type AnyFunction = (...given: any[]) => unknown;

/** {@link kept} for each call of a function that others call, such as one that is given to `map`. */
export function keptCalls(work: AnyFunction): AnyFunction {
  return function (this: unknown, ...given) {
    return kept(work.apply(this, given));
  };
}

/** {@link dropped} for each call of a function that is given to who makes no use of its promise: `forEach`. */
export function droppedCalls(work: AnyFunction, owner?: unknown): AnyFunction {
  return function (this: unknown, ...given) {
    dropped(work.apply(this, given), owner);
  };
}
