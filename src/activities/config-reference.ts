import { z } from 'zod';
import { InvalidInputError } from '../config/errors.js';
import type { LoadOptions } from '../config/load.js';

const aText = (what: string) => z.string({ error: `is ${what}, a text` }).nullish();

function schemaOf(example: string, further: readonly string[]) {
  const isList = `is a list of texts such as "${example}"`;
  return z.strictObject({
    config_path: aText('the path of a config'),
    set: z.array(z.string({ error: isList }), { error: isList }).nullish(),
    name: aText('the run’s name'),
    results_dir: aText('a folder'),
    ...Object.fromEntries(further.map((field) => [field, z.unknown().optional()])),
  });
}

/** One line a field that is wrong. */
function problemsOf(error: z.ZodError, further: readonly string[]): { field: string; message: string }[] {
  const allowed = ['set', 'name', 'results_dir', ...further].join(', ');
  const problems = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((field) => ({
          field,
          message: `unknown field beside config_path (allowed: ${allowed})`,
        }))
      : [{ field: String(issue.path[0]), message: issue.message }],
  );
  return problems.filter(
    ({ field }, index) => problems.findIndex((problem) => problem.field === field) === index,
  );
}

/**
 * What a workflow's input that names a config says: its path, and `set`, `name` and `results_dir`, as the config is loaded
 * with them. What is null says nothing.
 * @param example an assignment, for messages; `further`: fields that the kind of experiment knows as well
 * @throws InvalidInputError that names each field which there is not, or which is wrong.
 */
export function configReference(
  input: Readonly<Record<string, unknown>>,
  { example, further = [] }: { example: string; further?: readonly string[] },
): { path: string | null; options: LoadOptions } {
  const read = schemaOf(example, further).safeParse(input);
  if (!read.success) {
    const problems = problemsOf(read.error, further);
    const lines = problems.map(({ field, message }) => `${field}: ${message}`);
    throw new InvalidInputError(lines.join('\n'), problems[0]?.field);
  }
  const { config_path, set, name, results_dir } = read.data;
  return {
    path: config_path ?? null,
    options: {
      overrides: set ?? [],
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof results_dir === 'string' ? { resultsDir: results_dir } : {}),
    },
  };
}

/** Whether an input names a config, and is none itself. */
export function namesConfig(input: Readonly<Record<string, unknown>>): boolean {
  return input.config_path !== undefined && input.config_path !== null;
}
