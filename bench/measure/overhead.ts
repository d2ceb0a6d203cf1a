/**
 * Milliseconds that each of several steps costs: what work with them takes longer than the same work without.
 * @param seconds of the one and of the other; a difference that noise turns around is negative, and stays so.
 * @throws RangeError without a step.
 */
export function millisecondsEach(seconds: { with: number; without: number }, steps: number): number {
  if (!(steps > 0)) throw new RangeError(`the cost of ${steps} steps cannot be told`);
  return ((seconds.with - seconds.without) * 1000) / steps;
}
