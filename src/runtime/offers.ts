/** Functions by name. */
export type Functions = Readonly<Record<string, (...given: never[]) => unknown>>;

/** Functions that work in this process offers to activities of this process, by the name of the offer. */
const offers = new Map<string, Functions>();
let count = 0;

/** Offers functions until they are withdrawn. @returns the name of the offer */
export function offer(functions: Functions): string {
  const name = String(count++);
  offers.set(name, functions);
  return name;
}

export function withdraw(name: string): void {
  offers.delete(name);
}

/** Returns the functions of an offer. @throws Error if there is none */
export function offered(name: string): Functions {
  const functions = offers.get(name);
  if (functions === undefined) throw new Error('this process offers nothing of that name');
  return functions;
}
