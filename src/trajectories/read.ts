import type { z } from 'zod';
import { deepFreeze, type Frozen, plainCopy } from './frozen.js';

/** Data that does not have the form it should have. The message names every field that is wrong. */
export class InvalidTrajectoryError extends Error {
  override readonly name = 'InvalidTrajectoryError';
}

/** What was checked already, and against which schema: a part of checked data is not checked again. */
const checked = new WeakMap<object, z.ZodType>();

/** Declares that data has the form of a schema, because it was checked as a part of something larger. */
export function trust<Data extends object>(data: Data, schema: z.ZodType): Data {
  checked.set(data, schema);
  return data;
}

/**
 * A frozen copy of data in the form of a schema, defaults filled in and unknown fields dropped. Instances within are
 * taken as their data. Throws `InvalidTrajectoryError`.
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
