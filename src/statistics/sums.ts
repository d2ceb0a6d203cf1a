/**
 * Divisor that leaves room for 2^64 of the largest numbers. It is a power of two, so that the division is exact: sums
 * are the same, but cannot overflow.
 */
export const ROOM = 2 ** 64;

/** Limits a number to the largest finite one of its sign. */
export function bounded(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

/** Sum of finite numbers: neither sum nor mean is ever infinite or NaN, even for the largest numbers. */
export class Sum {
  private inRoom = 0;
  count = 0;

  constructor(values: Iterable<number> = []) {
    for (const value of values) this.add(value);
  }

  add(value: number): void {
    this.inRoom += value / ROOM;
    this.count += 1;
  }

  get total(): number {
    return bounded(this.inRoom * ROOM);
  }

  /** Null where nothing was added. */
  get mean(): number | null {
    return this.count === 0 ? null : bounded((this.inRoom / this.count) * ROOM);
  }
}

export function sumOf(values: Iterable<number>): number {
  return new Sum(values).total;
}

/** Computes the mean of at least one number. */
export function meanOf(values: Iterable<number>): number {
  return new Sum(values).mean ?? Number.NaN;
}

/** Computes the mean of each name over the measurements that have it. */
export function meansByName(measured: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, Sum>();
  for (const [name, value] of measured.flatMap(Object.entries<number>)) {
    const sum = sums.get(name) ?? new Sum();
    sum.add(value);
    sums.set(name, sum);
  }
  return Object.fromEntries([...sums].map(([name, { mean }]) => [name, mean as number]));
}
