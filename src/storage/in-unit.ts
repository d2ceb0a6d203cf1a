import { AsyncLocalStorage } from 'node:async_hooks';

/** Unit of an experiment, or bundle of units, that this process works on from its beginning to its end. */
export interface WorkingUnit {
  /** What others stored before this time, by `performance.now()`, may be about its work; what came later is not. */
  since: number;
}

/** Milliseconds without a tick after which this process may have been frozen, and taken for dead. */
const FROZEN_AFTER = 5000;
const TICK = 1000;

const units = new AsyncLocalStorage<WorkingUnit>();

let ticked = performance.now();
let frozenUntil = 0;
let isTicking = false;

function tick(): void {
  const now = performance.now();
  if (now - ticked > FROZEN_AFTER) frozenUntil = now;
  ticked = now;
}

/** Begins a unit that only this process works on, for as long as its attempt is not replaced. */
export function beginUnit(): WorkingUnit {
  tick();
  if (!isTicking) setInterval(tick, TICK).unref();
  isTicking = true;
  return { since: performance.now() };
}

/** Runs work of a unit. */
export function withinUnit<Value>(unit: WorkingUnit, work: () => Value): Value {
  return units.run(unit, work);
}

/** Notes that the current unit goes on with work that somebody else has begun. */
export function continuesOthers(): void {
  const unit = units.getStore();
  if (unit !== undefined) unit.since = performance.now();
}

/** Returns the time up to which the work that asks must know what others stored; null outside of units. */
export function unitSince(): number | null {
  const unit = units.getStore();
  if (unit === undefined) return null;
  tick();
  return Math.max(unit.since, frozenUntil);
}
