import type { z } from 'zod';
import { isMapping, isRounded, parseExactJson } from '../../../contracts/json.js';

type Schema = z.core.$ZodTypes;
type Issue = z.core.$ZodIssueUnrecognizedKeys | z.core.$ZodIssueInvalidType;

/** Types of schemas that leave it open which fields a value has. An object schema with a `catchall` does so as well. */
const OPEN: readonly string[] = ['any', 'custom', 'record', 'transform', 'unknown'];

/** Reports whether a value has none of the words by which this branch of a union is told from others. */
function isOfAnother(branch: z.core.$ZodType, value: unknown): boolean {
  const words = Object.entries(branch._zod.propValues ?? {});
  return (
    isMapping(value) &&
    words.some(([key, known]) => Object.hasOwn(value, key) && !known.has(value[key] as z.core.util.Primitive))
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

/** Lists the schemas of a field or an entry within a value of this form; none if it is not listed. */
function partsOf({ _zod: { def } }: Schema, key: string | number): z.core.$ZodType[] {
  switch (def.type) {
    case 'object':
      if (Object.hasOwn(def.shape, key)) return [def.shape[key] as z.core.$ZodType];
      return def.catchall === undefined ? [] : [def.catchall];
    case 'record':
      return [def.valueType];
    case 'array':
      return [def.element];
    case 'tuple': {
      const part = def.items[Number(key)] ?? def.rest;
      return part === null ? [] : [part];
    }
    default:
      return [];
  }
}

/** Types of schemas that take no text. */
const NO_TEXT: readonly string[] = [
  'array',
  'boolean',
  'null',
  'nullable',
  'number',
  'object',
  'record',
  'tuple',
];

/** Lists the values that a form names one by one; null where it names none. */
function namedValues({ _zod: { def } }: Schema): readonly unknown[] | null {
  if (def.type === 'literal') return def.values;
  return def.type === 'enum' ? Object.values(def.entries) : null;
}

/** Reports whether a text is none of the values of these forms, while something else than a text may be. */
function wantsNoText(forms: readonly Schema[], text: string): boolean {
  const others = forms.filter((form) => namedValues(form) === null);
  const named = forms.flatMap((form) => namedValues(form) ?? []);
  return (
    others.every(({ _zod: { def } }) => NO_TEXT.includes(def.type)) &&
    !named.includes(text) &&
    (others.length > 0 || named.some((value) => typeof value !== 'string'))
  );
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
    const meant = wantsNoText(forms, value) ? meaning(value) : value;
    return typeof meant === 'string' ? value : withTypes(schemas, meant);
  }
  const within = (key: string | number, part: unknown) =>
    withTypes(
      forms.flatMap((form) => partsOf(form, key)),
      part,
    );
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
  const [first] = forms;
  if (first === undefined) return [];
  if (forms.every((form) => isMisread(form, value))) {
    return [{ code: 'invalid_type', expected: first._zod.def.type as 'number', path, message: '' }];
  }
  const within = (key: string | number, part: unknown) =>
    silentChanges(
      forms.flatMap((form) => partsOf(form, key)),
      part,
      [...path, key],
    );
  if (Array.isArray(value)) return value.flatMap((part, index) => within(index, part));
  if (!isMapping(value)) return [];
  const found = Object.entries(value).flatMap(([key, part]) => within(key, part));
  const objects = forms.flatMap(({ _zod: { def } }) => (def.type === 'object' ? [def] : []));
  const isOpen =
    objects.some(({ catchall }) => catchall !== undefined && catchall._zod.def.type !== 'never') ||
    forms.some(({ _zod: { def } }) => OPEN.includes(def.type));
  const isDropped = objects.some(({ catchall }) => catchall === undefined) && !isOpen;
  const keys = Object.keys(value).filter((key) => !objects.some(({ shape }) => Object.hasOwn(shape, key)));
  return isDropped && keys.length > 0
    ? [{ code: 'unrecognized_keys', keys, path, message: '' }, ...found]
    : found;
}
