import type { z } from 'zod';
import { isMapping } from '../contracts/json.js';

type Path = readonly PropertyKey[];

/** Returns the paths of an issue, including those of the forms of a union. */
function pathsOf(issue: z.core.$ZodIssue): Path[] {
  if (issue.code !== 'invalid_union') return [issue.path];
  const { discriminator } = issue as { discriminator?: string };
  if (discriminator !== undefined) return [issue.path, [...issue.path, discriminator]];
  const inner = issue.errors.flat().flatMap(pathsOf);
  return [issue.path, ...inner.map((path) => [...issue.path, ...path])];
}

/** Returns the mapping that holds the last name of a path, if its value there is null. */
function holderOfNull(root: unknown, path: Path): Record<PropertyKey, unknown> | null {
  let value = root;
  for (const part of path.slice(0, -1)) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  const name = path.at(-1);
  return isMapping(value) && name !== undefined && (value as Record<PropertyKey, unknown>)[name] === null
    ? value
    : null;
}

/** Validates a config. A null in a field that is not nullable counts as absent and is removed from the mapping. */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  raw: Record<string, unknown>,
): z.ZodSafeParseResult<z.output<Schema>> {
  for (;;) {
    const parsed = schema.safeParse(raw);
    if (parsed.success) return parsed;
    let isSame = true;
    for (const path of parsed.error.issues.flatMap(pathsOf)) {
      const holder = holderOfNull(raw, path);
      if (holder === null) continue;
      delete holder[path.at(-1) as string];
      isSame = false;
    }
    if (isSame) return parsed;
  }
}
