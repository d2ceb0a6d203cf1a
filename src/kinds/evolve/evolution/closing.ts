import { countedText } from '../../../statistics/figure-text.js';
import type { EvolveState, IterationResult, ScaffoldNode } from '../contracts.js';
import type { Iteration, IterationOutcome } from './iteration.js';
import { type IterationPlan, type IterationPorts, scoresOn } from './iteration-ports.js';
import { bestScaffold, nodeOf } from './lineage.js';
import { validationOf } from './scores.js';

/** Input of closing an evolution. */
export interface Closing {
  plan: IterationPlan & { final_validation: boolean };
  /** State after the last iteration. */
  state: EvolveState;
  iteration: Pick<Iteration, 'validate'>;
  ports: Pick<IterationPorts, 'execute' | 'say' | 'announce'>;
}

/** Validates the scaffolds of the last iteration, and runs the best of all on the test data. */
export async function closeEvolution({
  plan,
  state,
  iteration,
  ports,
}: Closing): Promise<IterationOutcome & Pick<IterationResult, 'tested'>> {
  const validated =
    plan.final_validation && bestIsOpen(state)
      ? await iteration.validate()
      : { state, parents: [], validated: [], trained: [] };
  // An extension of the experiment continues from the state after the last iteration.
  const closed = { ...validated, state: { ...state, nodes: validated.state.nodes } };
  return { ...closed, tested: await testBest(plan, closed.state.nodes, ports) };
}

/**
 * Reports whether there are scaffolds without a score, or the best score is on the examples of an earlier iteration.
 */
function bestIsOpen({ nodes, newcomers, next_iteration }: EvolveState): boolean {
  const best = bestScaffold(nodes);
  return newcomers.length > 0 || (best !== null && best.iteration < next_iteration - 1);
}

async function testBest(
  plan: IterationPlan,
  nodes: readonly ScaffoldNode[],
  ports: Closing['ports'],
): Promise<IterationResult['tested']> {
  const best = bestScaffold(nodes);
  if (best === null || plan.test.length === 0) return null;
  const made_in = nodeOf(nodes, best.id).iteration;
  // The test examples never change: the run is the scaffold's, however far the experiment is extended.
  const job = { scaffold: best.id, made_in, iteration: made_in, type: 'test' as const };
  ports.announce(`[Closing] Testing scaffold ${best.id} on ${countedText(plan.test.length, 'example')}`);
  const tested = await scoresOn(plan.test, (example) => ports.execute({ ...job, example }));
  if ('unscored' in tested) {
    ports.say(`[Closing] Warning: scaffold ${best.id} has no test score: ${tested.unscored}`);
    return null;
  }
  return { scaffold: best.id, score: validationOf(tested.scores).score };
}
