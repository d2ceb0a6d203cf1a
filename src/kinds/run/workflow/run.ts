import { conduct } from '../../../workflows/conduct.js';
import { assertNotCancelled } from '../../../workflows/continuation.js';
import { CancellationScope, continueAsNew, workflowInfo } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type { RunCarried, RunInput, RunPlan, RunResult, RunWork } from '../contracts.js';
import { artifacts } from './activities.js';
import { LaneDealer } from './lane-dealer.js';
import { LaneQueue } from './lane-queue.js';
import { PartWriter } from './part-writer.js';
import { RunControl } from './run-control.js';
import { RunSession } from './run-session.js';

/**
 * Runs a dataset of environments × an agent with memory × trials. Works on several lanes of samples at once, and writes
 * the artifacts, however the run ends. Continues as new when its history grows long: every lane is suspended between
 * two steps and continues from its state in the next execution.
 * @param carried state of the previous execution, if this one continues it.
 */
export function run(input: RunInput, carried?: RunCarried): Promise<RunResult> {
  assertContinues(carried);
  const control = new RunControl(carried);
  return conduct({
    what: 'run',
    carried,
    control,
    prepare: () => artifacts.prepareRun(input),
    work: async (plan, handOver) => {
      const left = await workOn(plan, control, carried?.work);
      if (left !== null) await handOver({ work: left });
    },
    continueWith: (whole) => continueAsNew<typeof run>(input, whole),
    finalize: (ended) => artifacts.finalizeRun(ended),
  });
}

/** Works on a run's lanes until they are done. @returns what another execution continues with; null if nothing. */
export async function workOn(
  plan: RunPlan,
  control: RunControl,
  work: RunWork = { next: 0, lanes: [], sequence: 0 },
): Promise<RunWork | null> {
  const lanes = new LaneQueue(plan, work.next, work.lanes);
  const writer = new PartWriter(plan, work.sequence, workflowInfo().runId.slice(-12));
  /** Saves the memories of cut-off lanes. */
  const endLanes = () => {
    for (const lane of lanes.left()) writer.addMemory(lane);
    return writer.flush();
  };
  let isByCall = plan.grain !== 'unit';
  try {
    if (!isByCall) isByCall = await new LaneDealer(plan, control, lanes).run();
    if (isByCall) {
      const session = new RunSession(plan, control, lanes, writer);
      await session.load();
      await session.run();
    }
  } catch (error) {
    await CancellationScope.nonCancellable(endLanes);
    throw error;
  }
  if (continues(control, lanes)) {
    assertNotCancelled();
    return { next: lanes.next, lanes: lanes.left(), sequence: writer.sequence };
  }
  await endLanes();
  if (lanes.isDone()) control.allBegun();
  return null;
}

/** Reports whether lanes continue in another execution. */
function continues(control: RunControl, lanes: LaneQueue): boolean {
  if (lanes.isDone() || !control.handsOver() || control.isOver()) return false;
  return !control.mustEnd() || lanes.isInEpisode();
}
