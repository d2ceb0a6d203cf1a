/** Whether a value is as it should be. */
export type Check = (value: unknown) => boolean;

/** A check for each field, also for those that may be absent. */
export type Checks<Shape> = { [Field in keyof Required<Shape>]: Check };

export const isText: Check = (value) => typeof value === 'string';
export const isTruth: Check = (value) => typeof value === 'boolean';
/** Finite. */
export const isNumber: Check = (value) => Number.isFinite(value);
/** Finite, and not negative. */
export const isAmount: Check = (value) => Number.isFinite(value) && (value as number) >= 0;
/** Whole, and not negative. */
export const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

export const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** An object with these fields at least. */
export function shaped<Shape>(checks: Checks<Shape>): (value: unknown) => value is Shape {
  const fields = Object.entries<Check>(checks);
  return (value): value is Shape =>
    typeof value === 'object' &&
    value !== null &&
    fields.every(([field, check]) => check((value as Record<string, unknown>)[field]));
}
