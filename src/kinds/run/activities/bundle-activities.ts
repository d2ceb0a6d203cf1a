import { Context } from '@temporalio/activity';
import { type WorkflowHandle, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { continuesOthers } from '../../../storage/in-unit.js';
import { readJson } from '../../../storage/stored-file.js';
import type { BundleActivities, Dealt, KeptLane, LaneOrders, LaneRequest } from '../contracts.js';
import { DEAL_LANES, LANE_ORDERS } from '../contracts.js';
import { isNewLane } from '../lane/lane-state.js';
import { keptLaneKey } from '../paths.js';
import type { RunContexts } from './run-context.js';

/** Milliseconds that a report waits for the run's answer before it is sent again, for a server may lose one. */
const ANSWERED_WITHIN = 20_000;

/** Orders of a run that has ended, or knows no such bundle. */
const OVER: LaneOrders = { lanes: 0, isPaused: false, mustEnd: true, isOver: true, handsOver: true };

/** Returns the workflow of the run that the current activity works for. */
function runOf({ client, info }: Context): WorkflowHandle {
  const { workflowId = '', runId } = info.workflowExecution ?? {};
  return client.workflow.getHandle(workflowId, runId);
}

/** Asks the run's workflow. Without one, or where it has no answer, the bundle is over. */
async function orOver<Value>(work: Promise<Value>, over: Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) return over;
    throw error;
  }
}

/** Creates the activities by which a bundle of lanes reports to its run, and keeps a lane of many samples. */
export function createBundleActivities(
  runs: RunContexts,
  { isStopping = () => false }: Pick<WorkerDependencies, 'isStopping'>,
): BundleActivities {
  /** A worker that stops hands its lanes back: others go on with them. */
  const here = (orders: LaneOrders): LaneOrders => (isStopping() ? { ...orders, handsOver: true } : orders);
  return {
    dealLanes: async ({ update: updateId, deal }) => {
      const context = Context.current();
      const asked = context.client.withDeadline(Date.now() + ANSWERED_WITHIN, () =>
        runOf(context).executeUpdate<Dealt, [LaneRequest]>(DEAL_LANES, { args: [deal], updateId }),
      );
      const dealt = await orOver(asked, { lanes: [], isOld: true, orders: OVER });
      // What was begun elsewhere goes on with what is stored of it.
      if (dealt.lanes.some((lane) => lane.lost !== undefined || !isNewLane(lane))) continuesOthers();
      return { ...dealt, orders: here(dealt.orders) };
    },
    laneOrders: async ({ bundle }) => {
      const run = runOf(Context.current());
      return here(await orOver(run.query<LaneOrders, [number]>(LANE_ORDERS, bundle), OVER));
    },
    keepLane: async ({ run, execution, lane }) => {
      const { store } = await runs.get(run);
      await store.write(keptLaneKey(execution, lane.state.from), JSON.stringify(lane));
    },
    keptLane: async ({ run, execution, from }) => {
      const { store } = await runs.get(run);
      return readJson<KeptLane>(store, keptLaneKey(execution, from));
    },
  };
}
