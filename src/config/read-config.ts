import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { z } from 'zod';
import { isMapping } from '../contracts/json.js';
import { describeIssues } from './describe-issues.js';
import { InvalidInputError } from './errors.js';
import type { SchemaNode } from './json-schema.js';
import { CONFIG_ENDINGS, checkFile, permissions, quotable } from './named-files.js';

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

/** What the input of a workflow is called in messages: whoever has sent it may read all of it there. */
export const THE_INPUT = 'the input';

/** What is wrong with a file, and where, without a word of it. */
function yamlFault({ code, pos }: YAMLError, lines: LineCounter): string {
  const { line, col } = lines.linePos(pos[0]);
  return `${code.toLowerCase().replaceAll('_', ' ')} at line ${line}, column ${col}`;
}

/**
 * @param field where it is named
 * @throws InvalidInputError where there is no file, or no YAML in it, or where it may not be named.
 */
export function readYaml(path: string, field = 'config_path'): unknown {
  checkFile(field, path, 'read', CONFIG_ENDINGS);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'this is a folder' : String(error);
    throw new InvalidInputError(`config ${path}: ${reason}`);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: permissions() === null, lineCounter });
  const problem = document.errors[0];
  if (problem !== undefined) {
    const why = quotable(problem.message.trim(), yamlFault(problem, lineCounter));
    throw new InvalidInputError(`${path} is not valid YAML: ${why}`);
  }
  try {
    return document.toJS();
  } catch (error) {
    const why = quotable((error as Error).message, 'an alias without its anchor, or too many of them');
    throw new InvalidInputError(`${path} is not valid YAML: ${why}`);
  }
}

/** Everything that a schema finds wrong, one line each. `hint` may add to the line of a field that is missing. */
export function invalidConfig(
  error: z.ZodError,
  raw: unknown,
  source: string,
  { schema, hint }: { schema?: SchemaNode; hint?: (field: string) => string } = {},
): InvalidInputError {
  const isQuiet = permissions() !== null && source !== THE_INPUT;
  const problems = describeIssues(error, raw, schema, isQuiet);
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
