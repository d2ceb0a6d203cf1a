import { z } from 'zod';
import { describeIssues } from '../../../config/describe-issues.js';
import type { JsonObject } from '../../../contracts/json.js';

/**
 * Returns the schema with unknown fields refused, unless it defines how to treat these: a misspelt optional argument
 * would otherwise be dropped silently.
 * @throws TypeError if it is no object schema.
 */
export function strictParameters(parameters: z.ZodObject, place: string): z.ZodObject {
  const definition = (parameters as Partial<z.ZodObject> | undefined)?._zod?.def;
  if (definition?.type !== 'object' || typeof parameters.strict !== 'function') {
    throw new TypeError(
      `${place}: parameters must be a z.object({…}) of zod 4; 'reprise/bundle' exports such a z`,
    );
  }
  return definition.catchall === undefined ? parameters.strict() : parameters;
}

/** Returns the JSON Schema of arguments as a model writes them. @throws TypeError for types that JSON lacks. */
export function toolParameters(schema: z.ZodObject, place: string): JsonObject {
  try {
    const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
    return rest as JsonObject;
  } catch (error) {
    throw new TypeError(`${place}: parameters cannot be told to a model: ${(error as Error).message}`);
  }
}

/** Parses the arguments of a call, or returns a sentence for the model that says what is wrong with each field. */
export async function readArguments(
  text: string,
  schema: z.ZodObject,
  jsonSchema: JsonObject,
): Promise<{ value: Record<string, unknown> } | { fault: string }> {
  let input: unknown;
  try {
    // Models write an empty text if a tool has no parameters.
    input = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    return { fault: `the arguments are no JSON: ${(error as Error).message}` };
  }
  input ??= {};
  if (typeof input !== 'object' || Array.isArray(input)) {
    return { fault: 'the arguments must be one JSON object, such as {"id": 7}' };
  }
  const read = await schema.safeParseAsync(input);
  if (read.success) return { value: read.data };
  const faults = describeIssues(read.error, input, jsonSchema).map(({ field, message }) =>
    field === '' ? message : `${field}: ${message}`,
  );
  return { fault: `the arguments are not right: ${faults.join('; ')}` };
}
