import type { z } from 'zod';
import type { UnknownKeys } from '../../../config/describe-issues.js';
import { isMapping, isRounded, parseExactJson } from '../../../contracts/json.js';

type Schema = z.core.$ZodTypes;
type Literal = z.core.util.Literal;
type Issue = UnknownKeys | z.core.$ZodIssueInvalidType;

/** Types of schemas that leave it open which fields a value has. An object schema with a `catchall` does so as well. */
const OPEN: readonly string[] = ['any', 'custom', 'record', 'transform', 'unknown'];

/** Reports whether a value has none of the words by which this branch of a union is told from others. */
function isOfAnother(branch: z.core.$ZodType, value: unknown): boolean {
  const words = Object.entries(branch._zod.propValues ?? {});
  return (
    isMapping(value) &&
    words.some(([key, known]) => Object.hasOwn(value, key) && !known.has(value[key] as Literal))
  );
}

/** Lists the schemas that a value may follow: the branches of a union or an intersection, and what others wrap. */
function formsOf(schema: z.core.$ZodType, value: unknown): Schema[] {
  const typed = schema as Schema;
  const { def } = typed._zod;
  switch (def.type) {
    case 'union': {
      const own = def.options.filter((branch) => !isOfAnother(branch, value));
      return (own.length > 0 ? own : def.options).flatMap((branch) => formsOf(branch, value));
    }
    case 'intersection':
      return [def.left, def.right].flatMap((part) => formsOf(part, value));
    case 'pipe':
      return formsOf(def.in, value);
    case 'lazy':
      return formsOf((typed as z.core.$ZodLazy)._zod.innerType, value);
    case 'nullable':
      return [typed, ...formsOf(def.innerType, value)];
    default:
      return 'innerType' in def ? formsOf(def.innerType, value) : [typed];
  }
}

const formsOfAll = (schemas: readonly z.core.$ZodType[], value: unknown) => [
  ...new Set(schemas.flatMap((schema) => formsOf(schema, value))),
];

/** Lists the schemas of a field or an entry within a value of these forms; none if it is not listed. */
function partsOf(forms: readonly Schema[], key: string | number): z.core.$ZodType[] {
  return forms.flatMap(({ _zod: { def } }) => {
    switch (def.type) {
      case 'object':
        return (Object.hasOwn(def.shape, key) ? def.shape[key] : def.catchall) ?? [];
      case 'record':
        return def.valueType;
      case 'array':
        return def.element;
      case 'tuple':
        return def.items[Number(key)] ?? def.rest ?? [];
      default:
        return [];
    }
  });
}

/** Tests of a value by the type of a schema. Schemas of other types are held to take any value. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  nullable: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isMapping,
  record: isMapping,
  string: (value) => typeof value === 'string',
  tuple: Array.isArray,
};

/** Reports whether a form takes a value as what it is, without `z.coerce`. */
function takes({ _zod: { def, values } }: Schema, value: unknown): boolean {
  return values?.has(value as Literal) ?? TYPES[def.type]?.(value) ?? true;
}

/** Words of models that write Python in place of JSON. */
const PYTHON = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** Returns what a text is the JSON of, or the text. */
function meaning(text: string): unknown {
  if (PYTHON.has(text)) return PYTHON.get(text);
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/**
 * Returns a value with what its texts are the JSON of, wherever the schemas take no text: some servers write every
 * argument as a text, which their model cannot correct.
 */
export function withTypes(schemas: readonly z.core.$ZodType[], value: unknown): unknown {
  const forms = formsOfAll(schemas, value);
  if (forms.length === 0) return value;
  if (typeof value === 'string') {
    const meant = forms.some((form) => takes(form, value)) ? value : meaning(value);
    // Where only certain values may be, another is told as it was written.
    const mayBe = forms.some(({ _zod: { values } }) => values?.has(meant as Literal) ?? true);
    return typeof meant === 'string' || !mayBe ? value : withTypes(schemas, meant);
  }
  const within = (key: string | number, part: unknown) => withTypes(partsOf(forms, key), part);
  if (Array.isArray(value)) return value.map((part, index) => within(index, part));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, within(key, part)]));
}

/** Reports whether `z.coerce` would make something else of a value: true of "no", 0 of "", "null" of null. */
function isMisread({ _zod: { def } }: Schema, value: unknown): boolean {
  if (!('coerce' in def && def.coerce === true)) return false;
  if (typeof value === 'object') return true;
  if (def.type === 'boolean') return typeof value === 'string';
  if (def.type !== 'number') return false;
  return typeof value === 'string' ? value.trim() === '' || isRounded(value) : typeof value === 'boolean';
}

/**
 * Finds what zod would change without a word, at any depth: it drops fields that no schema lists, so a misspelt optional
 * one would go unnoticed, and `z.coerce` takes any value. Where fields are left open, or refused by zod itself, nothing
 * is found.
 */
export function silentChanges(
  schemas: readonly z.core.$ZodType[],
  value: unknown,
  path: PropertyKey[] = [],
): Issue[] {
  const forms = formsOfAll(schemas, value);
  if (forms.length === 0) return [];
  const taking = forms.findIndex((form) => takes(form, value));
  const misreading = forms.findIndex((form) => isMisread(form, value));
  // Of what is neither a list nor a mapping, zod makes what the first of several forms does.
  const isFirst = taking < 0 || (misreading < taking && Object(value) !== value);
  if (misreading >= 0 && isFirst) {
    const expected = (forms[misreading] as Schema)._zod.def.type as 'number';
    return [{ code: 'invalid_type', expected, path, message: '' }];
  }
  const within = (key: string | number, part: unknown) =>
    silentChanges(partsOf(forms, key), part, [...path, key]);
  if (Array.isArray(value)) return value.flatMap((part, index) => within(index, part));
  if (!isMapping(value)) return [];
  const found = Object.entries(value).flatMap(([key, part]) => within(key, part));
  const objects = forms.flatMap(({ _zod: { def } }) => (def.type === 'object' ? [def] : []));
  const isOpen =
    objects.some(({ catchall }) => catchall !== undefined && catchall._zod.def.type !== 'never') ||
    forms.some(({ _zod: { def } }) => OPEN.includes(def.type));
  const isDropped = objects.some(({ catchall }) => catchall === undefined) && !isOpen;
  const known = [...new Set(objects.flatMap(({ shape }) => Object.keys(shape)))];
  const keys = Object.keys(value).filter((key) => !known.includes(key));
  return isDropped && keys.length > 0
    ? [{ code: 'unrecognized_keys', keys, known, path, message: '' }, ...found]
    : found;
}
