import type { z } from 'zod';
import { deepFreeze, type Frozen, plainCopy } from './frozen.js';

/** Data that does not match its schema. The message names every wrong field. */
export class InvalidTrajectoryError extends Error {
  override readonly name = 'InvalidTrajectoryError';
}

/** Validated data, with its schema: a part of validated data is not validated again. */
const checked = new WeakMap<object, z.ZodType>();

/** Marks data as valid for a schema, because it was validated as a part of larger data. */
export function trust<Data extends object>(data: Data, schema: z.ZodType): Data {
  checked.set(data, schema);
  return data;
}

/**
 * Validates data and returns a frozen copy, with defaults filled in and unknown fields dropped. Instances within are
 * converted to data. Throws `InvalidTrajectoryError`.
 */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): Frozen<z.output<Schema>> {
  if (typeof value === 'object' && value !== null && checked.get(value) === schema) {
    return deepFreeze(value) as Frozen<z.output<Schema>>;
  }
  const result = schema.safeParse(copyOf(value, what));
  if (result.success) return deepFreeze(result.data);
  const faults = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the value'}: ${message}`,
  );
  throw new InvalidTrajectoryError(`${what}: ${faults.join('; ')}`);
}

function copyOf(value: unknown, what: string): unknown {
  try {
    return plainCopy(value);
  } catch (error) {
    throw new InvalidTrajectoryError(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
