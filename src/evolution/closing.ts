import type { EvolveState, IterationResult, ScaffoldNode } from '../contracts/evolve.js';
import { settleAll } from '../runtime/settle-all.js';
import type { Iteration, IterationOutcome } from './iteration.js';
import { everyScore, type IterationPlan, type IterationPorts } from './iteration-ports.js';
import { bestScaffold } from './lineage.js';
import { validationOf } from './scores.js';

/** What closes an evolution is made of. */
export interface Closing {
  plan: IterationPlan & { final_validation: boolean };
  /** That of the last iteration. */
  state: EvolveState;
  iteration: Pick<Iteration, 'validate'>;
  ports: Pick<IterationPorts, 'execute' | 'say'>;
}

/** After the last iteration: its scaffolds are validated, and the best of all is run on the test data. */
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
  // The next iteration begins where the last one ended, should the experiment be extended.
  const closed = { ...validated, state: { ...state, nodes: validated.state.nodes } };
  return { ...closed, tested: await testBest(plan, closed.state.nodes, ports) };
}

/** Whether there are scaffolds without a score, or the best has its score on the examples of an earlier iteration. */
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
  const made_in = nodes.find(({ id }) => id === best?.id)?.iteration;
  if (best === null || made_in === undefined || plan.test.length === 0) return null;
  // The test examples are always the same: the run belongs to the scaffold, however far the experiment is extended.
  const job = { scaffold: best.id, made_in, iteration: made_in, type: 'test' as const };
  const tested = everyScore(
    await settleAll(
      plan.test.map(async (example) => [example, await ports.execute({ ...job, example })] as const),
    ),
  );
  if ('unscored' in tested) {
    ports.say(`[Closing] Warning: scaffold ${best.id} has no test score: ${tested.unscored}`);
    return null;
  }
  return { scaffold: best.id, score: validationOf(tested.scores).score };
}
