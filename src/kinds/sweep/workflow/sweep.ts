import type { ExperimentMetrics } from '../../../contracts/results.js';
import { childResult } from '../../../workflows/child-result.js';
import { conduct } from '../../../workflows/conduct.js';
import { describeError, endedOfFailure } from '../../../workflows/failures.js';
import { isPartReport, partReportSignal } from '../../../workflows/part-report.js';
import { receive } from '../../../workflows/receive.js';
import {
  condition,
  continueAsNew,
  isCancellation,
  startChild,
  type Workflow,
  workflowInfo,
} from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import type { EndedCell, SweepCarried, SweepInput, SweepPlan, SweepResult } from '../contracts.js';
import { sweeping } from './activities.js';
import { SweepControl } from './sweep-control.js';

/** Works on a cell until it ends, within its share of the limits. */
async function runCell(plan: SweepPlan, index: number, control: SweepControl): Promise<void> {
  const { run, command, cells } = plan;
  const limits = control.begins(index);
  let ended: EndedCell;
  try {
    const { workflow_id: workflowId, input } = await sweeping.beginCell({ run, cell: index, limits });
    const handle = await startChild<Workflow>(command, {
      workflowId,
      args: [input],
      staticSummary: cells[index]?.name ?? '',
    });
    control.joined(index, workflowId);
    ended = control.ended(index, await childResult(handle));
  } catch (error) {
    if (isCancellation(error)) {
      control.broke(index, 'cancelled', null);
      throw error;
    }
    // A cell that fails fails alone.
    const result = endedOfFailure<{ artifacts: string; metrics: ExperimentMetrics }>(error);
    ended =
      result === null
        ? control.broke(index, 'failed', describeError(error).message)
        : control.ended(index, result);
  }
  await sweeping.endCell({ run, cell: index, ended });
  control.free(index);
}

/** Begins cells as there is room and something left of the limits, and waits for those in flight. */
async function runCells(plan: SweepPlan, control: SweepControl): Promise<void> {
  const working = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  for (;;) {
    await condition(() => failure !== undefined || control.mayBegin() || control.isDone());
    if (failure !== undefined || control.isDone()) break;
    const index = control.next();
    const work: Promise<void> = runCell(plan, index, control)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => working.delete(work));
    working.add(work);
  }
  await Promise.all(working);
  if (failure !== undefined) throw failure.error;
}

/**
 * Runs the cells of a sweep, several at once, each a child workflow of the kind of its config. The limits are one: a
 * cell has a share of what is left, and one that has used it up continues with what others did not need.
 * @param carried state of the previous execution, if this one continues it.
 */
export function sweep(input: SweepInput, carried?: SweepCarried): Promise<SweepResult> {
  assertContinues(carried);
  const control = new SweepControl(carried);
  receive(partReportSignal, isPartReport, (report) => control.receive(report), control);
  return conduct({
    what: 'sweep',
    carried,
    control,
    prepare: () => sweeping.prepareSweep(input),
    work: async (plan, handOver) => {
      await runCells(plan, control);
      if (control.isLeft() && workflowInfo().continueAsNewSuggested && control.continues()) await handOver();
      control.allEnded();
    },
    continueWith: (whole) => continueAsNew<typeof sweep>(input, whole),
    finalize: (ended) => sweeping.finalizeSweep(ended),
  });
}
