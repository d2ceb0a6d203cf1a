/** Classes of which JSON writes all that they hold. */
const WRITTEN = ['Array', 'BigInt', 'Boolean', 'Number', 'Object', 'String'];

/** Reports whether what an object holds, if anything, is behind its class: in private fields or getters. */
function isHidden(item: object): boolean {
  const shared: object | null = Object.getPrototypeOf(item);
  const isClass = shared !== null && Object.getPrototypeOf(shared) !== null;
  return isClass && Reflect.ownKeys(shared).some((key) => key !== 'constructor');
}

/** @throws TypeError for what JSON would write without what is in it, such as a Map or a promise that was not awaited. */
function assertWritten(item: object, key: string): void {
  const place = key === '' ? '' : `, in '${key}'`;
  if ('then' in item && typeof item.then === 'function')
    throw new TypeError(`it holds a promise: await it${place}`);
  // Also right of what another realm made; a class of the user's own is an Object.
  const name = Object.prototype.toString.call(item).slice('[object '.length, -1);
  if (name === 'Error' || item instanceof Error)
    throw new TypeError(`it holds an Error: throw it, or answer its message${place}`);
  const isEmpty = Object.keys(item).length === 0;
  const isLost = name === 'Map' || name === 'Set' || (isEmpty && !WRITTEN.includes(name));
  if (!isLost && !(isEmpty && name === 'Object' && isHidden(item))) return;
  const what = isLost ? name : item.constructor.name;
  throw new TypeError(`it holds a ${what}: answer what is in it as an object or a list${place}`);
}

/** Replacer for `JSON.stringify` that refuses what would be lost. @throws TypeError */
export function nothingLost(key: string, item: unknown): unknown {
  if (typeof item === 'object' && item !== null) assertWritten(item, key);
  return item;
}

/** Replacer for what is read again, which refuses as well figures that become null and bytes that become an object. @throws TypeError */
export function nothingChanged(key: string, item: unknown): unknown {
  const place = key === '' ? '' : `, in '${key}'`;
  if (typeof item === 'number' && !Number.isFinite(item))
    throw new TypeError(`it holds ${item}, which JSON gives back as null: answer null or a text${place}`);
  if (ArrayBuffer.isView(item))
    throw new TypeError(`it holds a ${item.constructor.name}: answer what is in it as a list${place}`);
  return nothingLost(key, item);
}
