/** What repetitions of one measurement say. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** @throws RangeError without a value. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('no value was measured');
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
  return { median, min: sorted[0] as number, max: sorted.at(-1) as number };
}
