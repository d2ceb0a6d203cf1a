import type { EvolveState, IterationResult } from '../contracts/evolve.js';

/** How far an experiment has come. */
export interface Reached {
  state: EvolveState;
  tested: IterationResult['tested'];
}

/** What iterating takes from its workflow. */
export interface IterationSteps {
  /** Whether another iteration may begin. */
  goesOn(): boolean;
  /** Makes the iteration that `state` is the beginning of; null where it broke. */
  run(state: EvolveState, closing: boolean): Promise<IterationResult | null>;
  /** Called between two iterations. Does not come back where the workflow continues as new. */
  rest(state: EvolveState): Promise<void>;
}

/**
 * Iteration after iteration, and the closing one.
 * @param reached where it begins. It is kept up, so that it says how far the experiment came also where this rejects, as
 *   it does when the workflow is cancelled.
 */
export async function iterate(
  reached: Reached,
  { num_iterations }: { num_iterations: number },
  steps: IterationSteps,
): Promise<void> {
  while (reached.state.next_iteration <= num_iterations && steps.goesOn()) {
    if (!(await advance(reached, steps, false))) return;
    if (steps.goesOn()) await steps.rest(reached.state);
  }
  if (steps.goesOn()) await advance(reached, steps, true);
}

/** Answers whether the iteration was finished. What an unfinished one has paid is paid. */
async function advance(reached: Reached, steps: IterationSteps, closing: boolean): Promise<boolean> {
  const result = await steps.run(reached.state, closing);
  if (result === null) return false;
  const { state, totals, tested } = result;
  reached.state = state ?? { ...reached.state, totals };
  reached.tested = tested;
  return state !== null;
}
