/** Reports whether a value is valid. */
export type Check = (value: unknown) => boolean;

/** Checks of all fields, including optional ones. */
export type Checks<Shape> = { [Field in keyof Required<Shape>]: Check };

export const isText: Check = (value) => typeof value === 'string';
export const isTruth: Check = (value) => typeof value === 'boolean';
/** True for a finite number. */
export const isNumber: Check = (value) => Number.isFinite(value);
/** True for a finite number that is not negative. */
export const isAmount: Check = (value) => Number.isFinite(value) && (value as number) >= 0;
/** True for a whole number that is not negative. */
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

/** Returns a check for an object with at least these fields. */
export function shaped<Shape>(checks: Checks<Shape>): (value: unknown) => value is Shape {
  const fields = Object.entries<Check>(checks);
  return (value): value is Shape =>
    typeof value === 'object' &&
    value !== null &&
    fields.every(([field, check]) => check((value as Record<string, unknown>)[field]));
}
