import { childResult } from '../../../workflows/child-result.js';
import { REPLACES } from '../../../workflows/children.js';
import { conduct } from '../../../workflows/conduct.js';
import { describeError } from '../../../workflows/failures.js';
import { receive } from '../../../workflows/receive.js';
import { continueAsNew, isCancellation, startChild, workflowInfo } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type {
  EvolveCarried,
  EvolveInput,
  EvolvePlan,
  EvolveState,
  IterationResult,
  ScaffoldNode,
} from '../contracts.js';
import { beginningLine } from '../evolution/progress-lines.js';
import type { EvolveResult } from '../results.js';
import { evolution } from './activities.js';
import { EvolveControl } from './evolve-control.js';
import { iteration as iterationWorkflow } from './iteration.js';
import { evolveReportSignal, isIterationReport } from './messages.js';

async function runIteration(
  plan: EvolvePlan,
  state: EvolveState,
  control: EvolveControl,
  closing: boolean,
): Promise<IterationResult | null> {
  const number = state.next_iteration;
  const name = closing ? 'closing' : `iteration-${number}`;
  const workflowId = `${workflowInfo().workflowId}/${name}`;
  control.begins(workflowId);
  const handle = await startChild(iterationWorkflow, {
    ...REPLACES,
    workflowId,
    args: [{ plan, state, control: control.asked(), closing }],
    staticSummary: `${closing ? 'closing' : `iteration ${number} of ${plan.num_iterations}`} · ${plan.experiment}`,
  });
  control.joined(handle, beginningLine(plan, state, closing));
  try {
    const result = await childResult(handle);
    control.left(result);
    return result;
  } catch (error) {
    if (isCancellation(error)) throw error;
    control.broke(`${name}: ${describeError(error).message}`);
    return null;
  }
}

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

/**
 * Runs an evolution: a language model writes programs, a sandbox runs them, the best are validated, selected and
 * evolved. Every iteration is a child workflow; its results are stored before the next one begins. Between two
 * iterations it continues as new when its history grows long.
 * @param carried from the execution before, when this one continues it.
 */
export function evolve(input: EvolveInput, carried?: EvolveCarried): Promise<EvolveResult> {
  assertContinues(carried);
  const control = new EvolveControl(carried);
  receive(evolveReportSignal, isIterationReport, (report) => control.receive(report), control);
  let reached: Reached | undefined;
  return conduct({
    what: 'experiment',
    carried,
    control,
    prepare: () => evolution.prepareEvolve(input),
    work: async (plan, handOver) => {
      reached = { state: plan.state, tested: null };
      const isComplete = await iterate(reached, plan, {
        continues: () => control.continues(),
        run: (state, closing) => runIteration(plan, state, control, closing),
        rest: async (state) => {
          if (workflowInfo().continueAsNewSuggested) await handOver({ plan: { ...plan, state } });
        },
      });
      if (isComplete) control.allBegun();
    },
    continueWith: (whole) => continueAsNew<typeof evolve>(input, whole),
    finalize: (ended) => {
      const { state, tested } = reached ?? { state: ended.plan.state, tested: null };
      return evolution.finalizeEvolve({ ...ended, state, tested, ...control.unloggedLines() });
    },
  });
}
