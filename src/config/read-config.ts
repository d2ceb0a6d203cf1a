import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { isMapping } from '../contracts/json.js';
import { describeIssues } from './describe-issues.js';
import { InvalidInputError } from './errors.js';
import type { SchemaNode } from './json-schema.js';

/** What the loaders of runs and of evolutions share. */

/** A copy of a config's mapping. `sections` is said to whoever hands in something else. */
export function asMapping(value: unknown, source: string, sections: string): Record<string, unknown> {
  if (isMapping(value)) return structuredClone(value);
  const found =
    value === null || value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  throw new InvalidInputError(
    `${source}: a config is a mapping with the sections ${sections}; this holds ${found}`,
  );
}

/** @throws InvalidInputError where there is no file, or no YAML in it. */
export function readYaml(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'this is a folder' : String(error);
    throw new InvalidInputError(`config ${path}: ${reason}`);
  }
  const document = parseDocument(text, { prettyErrors: true });
  const problem = document.errors[0];
  if (problem !== undefined)
    throw new InvalidInputError(`${path} is not valid YAML: ${problem.message.trim()}`);
  return document.toJS();
}

/** Everything that a schema finds wrong, one line each. `hint` may add to the line of a field that is missing. */
export function invalidConfig(
  error: z.ZodError,
  raw: unknown,
  source: string,
  { schema, hint }: { schema?: SchemaNode; hint?: (field: string) => string } = {},
): InvalidInputError {
  const problems = describeIssues(error, raw, schema);
  const lines = problems.map(({ field, message }) => {
    const said = message.startsWith('is missing') ? `${message}${hint?.(field) ?? ''}` : message;
    return field === '' ? said : `${field}: ${said}`;
  });
  const text =
    lines.length === 1
      ? `${source}: ${lines[0]}`
      : `${source}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new InvalidInputError(text, problems[0]?.field);
}
