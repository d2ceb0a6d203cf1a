/** A deeply read-only type. */
export type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value;

function refuse(path: string, what: string): never {
  throw new TypeError(`${path === '' ? 'the value' : path} is ${what}, which JSON cannot hold`);
}

/**
 * Copies plain data deeply, with instances replaced by the result of their `toJSON`; fields that are undefined are left
 * out. Throws TypeError for values that JSON would lose silently, such as NaN, a Map or a Date.
 */
export function plainCopy(value: unknown, path = ''): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : refuse(path, String(value));
  if (value === undefined) return refuse(path, 'undefined');
  if (typeof value !== 'object') return refuse(path, `a ${typeof value}`);
  const below = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((item, index) => plainCopy(item, below(index)));
  if (value instanceof Date) return refuse(path, 'a Date');
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainCopy(value.toJSON(), path);
  const prototype = Object.getPrototypeOf(value);
  // Objects of another realm, such as a workflow's sandbox, have another `Object.prototype`.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return refuse(path, `a ${value.constructor.name}`);
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, plainCopy(field, below(key))]));
}

/** Freezes plain data deeply, in place. */
export function deepFreeze<Value>(value: Value): Frozen<Value> {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value as Frozen<Value>;
}
