import type { z } from 'zod';
import { isRounded } from '../contracts/json.js';
import { closestWord } from './errors.js';
import { knownFields, type SchemaNode } from './json-schema.js';

/** Unknown fields; `known` are the others, where the schema alone does not tell them. */
export type UnknownKeys = z.core.$ZodIssueUnrecognizedKeys & { known?: readonly string[] };
type Issue = z.core.$ZodIssue;

/** Formats a path such as `runtime.num_trials` or `dataset.items[3]`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

/** Formatter of a value for messages: as it is, or its type alone. */
type Show = (value: unknown) => string;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'this list';
  const kinds: Record<string, string> = {
    string: 'this text',
    number: 'this number',
    object: 'this mapping',
  };
  return (value !== null && kinds[typeof value]) || 'this value';
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function describeType(issue: Extract<Issue, { code: 'invalid_type' }>, value: unknown, show: Show): string {
  if (value === undefined) return `is missing; it must be ${article(issue.expected)}`;
  const isInexact =
    ['number', 'int'].includes(issue.expected) && typeof value === 'string' && isRounded(value);
  return `must be ${article(issue.expected)}, not ${show(value)}${isInexact ? ', which a number does not hold exactly' : ''}`;
}

function article(expected: string): string {
  const names: Record<string, string> = {
    int: 'a whole number',
    object: 'a mapping',
    array: 'a list',
    record: 'a mapping',
    boolean: 'true or false',
  };
  return names[expected] ?? `a ${expected}`;
}

function expectedForms(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const forms = issue.errors.flatMap((branch) =>
    branch.flatMap((inner) =>
      inner.code === 'invalid_type' && inner.path.length === 0 ? [article(inner.expected)] : [],
    ),
  );
  return forms.length > 0 ? [...new Set(forms)].join(' or ') : 'of another form';
}

/** Returns the verb: a number must be at least 1, a text or a list must have at least 1 entry. */
function sized(origin: string): string {
  return unit(origin, 1) === '' ? 'be' : 'have';
}

function unit(origin: string, count: number | bigint): string {
  const [one, many] = { string: [' character', ' characters'], array: [' entry', ' entries'] }[origin] ?? [];
  return (Number(count) === 1 ? one : many) ?? '';
}

interface Described {
  root: unknown;
  schema: SchemaNode;
  show: Show;
}

function describe(issue: Issue, value: unknown, { root, schema, show }: Described): string {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue, value, show);
    case 'invalid_value':
      return value === undefined
        ? `is missing; allowed: ${issue.values.map(String).join(', ')}`
        : `${show(value)} is not allowed; allowed: ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must ${sized(issue.origin)} ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin, issue.minimum)}, not ${show(value)}`;
    case 'too_big':
      return `must ${sized(issue.origin)} ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit(issue.origin, issue.maximum)}, not ${show(value)}`;
    case 'unrecognized_keys': {
      const { known = knownFields(issue.path, root, schema) } = issue as UnknownKeys;
      return issue.keys
        .map((key) => {
          const guess = closestWord(key, known);
          if (guess === null && show !== shown)
            return `a field that is not known (allowed: ${known.join(', ')})`;
          return `unknown field '${key}'${guess === null ? '' : `, did you mean '${guess}'?`}${known.length > 0 ? ` (allowed: ${known.join(', ')})` : ''}`;
        })
        .join('; ');
    }
    case 'invalid_union': {
      if ('discriminator' in issue && issue.discriminator !== undefined) {
        const options = (issue as { options?: unknown[] }).options ?? [];
        const allowed = options.length > 0 ? `; allowed: ${options.map(String).join(', ')}` : '';
        return value === undefined ? `is missing${allowed}` : `${show(value)} is not allowed${allowed}`;
      }
      return `must be ${expectedForms(issue)}, not ${show(value)}`;
    }
    case 'invalid_format':
      return `${show(value)} is not a valid ${issue.format}`;
    default:
      return issue.message;
  }
}

/**
 * Returns the issues of the one form of a union that the value was meant to have: the only form that does not reject
 * the value as a whole. Their paths begin at the root. Without exactly one such form, the union's own issue.
 */
function meantIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || 'discriminator' in issue) return [issue];
  const refusesAll = (inner: Issue) =>
    inner.path.length === 0 && ['invalid_type', 'invalid_value'].includes(inner.code);
  const meant = issue.errors.filter((inner) => !inner.some(refusesAll));
  const [only] = meant;
  if (only === undefined || meant.length > 1) return [issue];
  return only.flatMap((inner) => meantIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

/**
 * Returns a line for each problem: `runtime.num_trials: must be at least 1, not -1`.
 * @param schema has the names of known fields
 * @param isQuiet shows no values, and unknown names only if they resemble known ones
 */
export function describeIssues(
  error: z.ZodError,
  root: unknown,
  schema: SchemaNode,
  isQuiet = false,
): { field: string; message: string }[] {
  const show = isQuiet ? kindOf : shown;
  return error.issues.flatMap(meantIssues).map((issue) => {
    const discriminator =
      issue.code === 'invalid_union' ? (issue as { discriminator?: string }).discriminator : undefined;
    const path =
      discriminator !== undefined && issue.path.at(-1) !== discriminator
        ? [...issue.path, discriminator]
        : issue.path;
    const field =
      issue.code === 'unrecognized_keys' && issue.keys.length === 1 && !isQuiet
        ? fieldPath([...issue.path, issue.keys[0] as string])
        : fieldPath(path);
    return { field, message: describe(issue, valueAt(root, path), { root, schema, show }) };
  });
}
