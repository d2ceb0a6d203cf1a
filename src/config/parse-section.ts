import { z } from 'zod';
import { schemaOf } from './json-schema.js';
import { parseConfig } from './parse-config.js';
import { invalidConfig } from './read-config.js';

/** Validates one section of a config, for a program that has only that. @throws InvalidInputError that names fields */
export function parseSection<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const whole = z.strictObject({ [name]: schema });
  const raw = { [name]: structuredClone(value) };
  const parsed = parseConfig(whole, raw);
  if (parsed.success) return parsed.data[name] as z.output<Schema>;
  throw invalidConfig(parsed.error, raw, 'the program', schemaOf(name, whole), () => '');
}
