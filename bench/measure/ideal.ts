/** A call of the model, or an execution, of an evolution. */
export interface EvolveStep {
  iteration: number;
  /** Executions on validation and on training examples, and calls that write a program. */
  kind: 'valid' | 'train' | 'write';
  seconds: number;
}

/**
 * Seconds until everything is done, so many at once, where nothing lies between two of them. The longest begin first,
 * which is optimal where all are of a length, and close to it elsewhere (Graham 1969).
 */
export function makespan(seconds: readonly number[], atOnce: number): number {
  const busy = Array.from({ length: atOnce }, () => 0);
  for (const one of [...seconds].sort((left, right) => right - left)) {
    const first = busy.indexOf(Math.min(...busy));
    busy[first] = (busy[first] as number) + one;
  }
  return Math.max(...busy);
}

/**
 * What the steps of an evolution take where everything but them is free. Each waits for those that it needs: within an
 * iteration every validation comes before the first training run, and those before the first call; an iteration comes
 * before the next.
 */
export function idealSeconds(steps: readonly EvolveStep[], atOnce: number): number {
  const phases = new Map<string, number[]>();
  for (const { iteration, kind, seconds } of steps) {
    const phase = `${iteration} ${kind}`;
    phases.set(phase, [...(phases.get(phase) ?? []), seconds]);
  }
  return [...phases.values()].reduce((sum, phase) => sum + makespan(phase, atOnce), 0);
}
