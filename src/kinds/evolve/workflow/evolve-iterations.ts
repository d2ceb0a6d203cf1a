import type { EvolveState, IterationResult, ScaffoldNode } from '../contracts.js';

/** Progress of an experiment. */
export interface Reached {
  state: EvolveState;
  tested: IterationResult['tested'];
}

/** Steps that the workflow provides to {@link iterate}. */
export interface IterationSteps {
  /** Reports whether another iteration may begin. */
  continues(): boolean;
  /** Runs the iteration that begins with `state`; null where it failed. */
  run(state: EvolveState, closing: boolean): Promise<IterationResult | null>;
  /** Runs between two iterations. Does not return where the workflow continues as new. */
  rest(state: EvolveState): Promise<void>;
}

/**
 * Runs iteration after iteration, and the closing one.
 * @param reached where it begins. It is updated, so that it has the progress even if this rejects, as when the workflow
 *   is cancelled.
 * @returns true if everything was done, including the closing one.
 */
export async function iterate(
  reached: Reached,
  { num_iterations }: { num_iterations: number },
  steps: IterationSteps,
): Promise<boolean> {
  while (reached.state.next_iteration <= num_iterations && steps.continues()) {
    if (!(await advance(reached, steps, false))) return false;
    if (steps.continues()) await steps.rest(reached.state);
  }
  return steps.continues() && (await advance(reached, steps, true));
}

/** Runs one iteration and reports whether it was finished. The cost of an unfinished one counts. */
async function advance(reached: Reached, steps: IterationSteps, closing: boolean): Promise<boolean> {
  const result = await steps.run(reached.state, closing);
  if (result === null) return false;
  const { state, totals, tested, nodes = [] } = result;
  reached.state = state ?? { ...reached.state, nodes: withNodes(reached.state.nodes, nodes), totals };
  reached.tested = tested;
  return state !== null;
}

/**
 * Returns the scaffolds with the results of an unfinished iteration. Those given up are tried again by the next one.
 */
function withNodes(nodes: readonly ScaffoldNode[], touched: readonly ScaffoldNode[]): ScaffoldNode[] {
  const learned = touched.filter(({ status }) => status !== 'unscored');
  return [...new Map([...nodes, ...learned].map((node) => [node.id, node])).values()];
}
