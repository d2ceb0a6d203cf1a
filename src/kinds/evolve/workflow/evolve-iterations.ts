import type { EvolveState, IterationResult, ScaffoldNode } from '../contracts.js';

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
 * @returns whether everything was done, the closing one included.
 */
export async function iterate(
  reached: Reached,
  { num_iterations }: { num_iterations: number },
  steps: IterationSteps,
): Promise<boolean> {
  while (reached.state.next_iteration <= num_iterations && steps.goesOn()) {
    if (!(await advance(reached, steps, false))) return false;
    if (steps.goesOn()) await steps.rest(reached.state);
  }
  return steps.goesOn() && (await advance(reached, steps, true));
}

/** Answers whether the iteration was finished. What an unfinished one has paid is paid. */
async function advance(reached: Reached, steps: IterationSteps, closing: boolean): Promise<boolean> {
  const result = await steps.run(reached.state, closing);
  if (result === null) return false;
  const { state, totals, tested, nodes = [] } = result;
  reached.state = state ?? { ...reached.state, nodes: withNodes(reached.state.nodes, nodes), totals };
  reached.tested = tested;
  return state !== null;
}

/** The scaffolds with what an unfinished iteration has learned of them. Whom it gave up is tried again by the next one. */
function withNodes(nodes: readonly ScaffoldNode[], touched: readonly ScaffoldNode[]): ScaffoldNode[] {
  const learned = touched.filter(({ status }) => status !== 'unscored');
  return [...new Map([...nodes, ...learned].map((node) => [node.id, node])).values()];
}
