import { continueAsNew, isCancellation, setHandler, startChild, workflowInfo } from '@temporalio/workflow';
import type {
  EvolveCarried,
  EvolveInput,
  EvolvePlan,
  EvolveState,
  IterationResult,
} from '../contracts/evolve.js';
import type { EvolveResult } from '../contracts/evolve-results.js';
import { isIterationReport } from '../contracts/incoming.js';
import { beginningLine } from '../evolution/progress-lines.js';
import { childResult } from './child-result.js';
import { REPLACES } from './children.js';
import { conclude } from './conclude.js';
import { readyToContinue } from './continuation.js';
import { EvolveControl } from './evolve-control.js';
import { iterate, type Reached } from './evolve-iterations.js';
import { describeError, prepared } from './failures.js';
import { iteration as iterationWorkflow } from './iteration.js';
import { evolveProgressQuery, evolveReportSignal } from './messages.js';
import { evolution } from './proxies.js';
import { receive } from './receive.js';
import { takeRequests } from './requests.js';
import { assertContinues } from './started-rightly.js';
import { WorkingClock } from './working-clock.js';

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
  control.joined(number, handle, beginningLine(plan, state, closing));
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

/**
 * An LM writes programs, a sandbox runs them, the best are validated, selected and evolved. Every iteration is a child
 * workflow; what it did is in the store before the next one begins. Between two iterations it continues as new when its
 * history grows long.
 * @param carried from the execution before, when this one continues it.
 */
export async function evolve(input: EvolveInput, carried?: EvolveCarried): Promise<EvolveResult> {
  assertContinues(carried);
  const startedAt = carried?.started_at ?? Date.now();
  const control = new EvolveControl(carried);
  setHandler(evolveProgressQuery, () => control.progress());
  receive(evolveReportSignal, isIterationReport, (report) => control.receive(report));
  takeRequests(control);

  const plan = carried?.plan ?? (await prepared(evolution.prepareEvolve(input), control));
  control.begin(plan);
  const begunAt = { started_at: startedAt, worked_seconds: carried?.worked_seconds };
  const clock = WorkingClock.start(plan, begunAt, 'experiment', control);
  let cancellation: unknown;
  const reached: Reached = { state: plan.state, tested: null };
  try {
    const isComplete = await iterate(reached, plan, {
      goesOn: () => control.goesOn(),
      run: (state, closing) => runIteration(plan, state, control, closing),
      rest: async (state) => {
        if (!workflowInfo().continueAsNewSuggested) return;
        clock.stop();
        await readyToContinue();
        const carriedOn = {
          plan: { ...plan, state },
          started_at: startedAt,
          ...clock.worked(),
          ...control.handOver(),
        };
        await continueAsNew<typeof evolve>(input, carriedOn);
      },
    });
    if (isComplete) control.allDone();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancellation = error;
  }
  clock.stop();
  return conclude(control, { cancellation, artifacts: plan.artifacts, what: 'experiment' }, (outcome) =>
    evolution.finalizeEvolve({
      plan,
      ...outcome,
      ...reached,
      ...control.unloggedLines(),
      started_at: startedAt,
      ended_at: Date.now(),
      ...clock.worked(),
    }),
  );
}
