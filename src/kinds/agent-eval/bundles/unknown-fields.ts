import type { z } from 'zod';
import { isMapping } from '../../../contracts/json.js';

type Schema = z.core.$ZodTypes;
type Issue = z.core.$ZodIssueUnrecognizedKeys;

/** Types of schemas that leave it open which fields a value has. An object schema with a `catchall` does so as well. */
const OPEN: readonly string[] = ['any', 'custom', 'record', 'transform', 'unknown'];

/** Lists the schemas that a value may follow: the branches of a union or an intersection, and what others wrap. */
function formsOf(schema: z.core.$ZodType): Schema[] {
  const typed = schema as Schema;
  const { def } = typed._zod;
  switch (def.type) {
    case 'union':
      return def.options.flatMap(formsOf);
    case 'intersection':
      return [def.left, def.right].flatMap(formsOf);
    case 'pipe':
      return formsOf(def.in);
    case 'lazy':
      return formsOf((typed as z.core.$ZodLazy)._zod.innerType);
    default:
      return 'innerType' in def ? formsOf(def.innerType) : [typed];
  }
}

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

/**
 * Finds the fields that no schema lists, at any depth: zod drops them, so a misspelt optional field would go unnoticed.
 * Where fields are left open, or refused by zod itself, nothing is found.
 */
export function unknownFields(
  schemas: readonly z.core.$ZodType[],
  value: unknown,
  path: PropertyKey[] = [],
): Issue[] {
  const forms = [...new Set(schemas.flatMap(formsOf))];
  if (forms.length === 0) return [];
  const within = (key: string | number, part: unknown) =>
    unknownFields(
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
