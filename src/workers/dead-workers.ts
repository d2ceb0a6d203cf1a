import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { isDead, processIdentity } from '../storage/process-identity.js';

const { PendingActivityState, PendingWorkflowTaskState, TaskQueueType, WorkflowTaskFailedCause } =
  proto.temporal.api.enums.v1;

/** Workflows that are looked at at once. */
const AT_ONCE = 10;
/** Milliseconds without a heartbeat after which the server is about to give an activity to another worker by itself. */
const SOON_MISSED = 8000;

/** Server and queue that a worker is about to work on. */
interface Place {
  client: Client;
  namespace: string;
  namespaceId: string;
  taskQueue: string;
}

interface Execution {
  workflowId: string;
  runId: string;
}

type Described = proto.temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse;
type PendingActivity = proto.temporal.api.workflow.v1.IPendingActivityInfo;

const isOfDeadWorker = (identity: string | null | undefined) => isDead(identity ?? '') === true;

const millisecondsOf = (time: proto.google.protobuf.ITimestamp | null | undefined) =>
  (time?.seconds?.toNumber() ?? 0) * 1000;

/**
 * Takes from dead workers what they were working on, so that nobody waits for a missed heartbeat or for the end of a
 * task's time. A worker's identity names its process, and one of this host that is gone will not be heard again: what
 * belongs to workers that live, that stand still or that run on another host is not touched. To be called before a
 * worker of this process takes tasks.
 */
export async function takeFromDeadWorkers(place: Place): Promise<void> {
  const { client, namespace, taskQueue } = place;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  const dead = (pollers ?? []).filter(({ identity }) => isOfDeadWorker(identity));
  // A server that was started again knows of no worker.
  if (pollers?.length && dead.length === 0) return;
  const allDied = dead.length > 0 && dead.length === pollers?.length;
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  const open = client.workflow.list({ query })[Symbol.asyncIterator]();
  const work = async () => {
    for (let next = await open.next(); next.done !== true; next = await open.next()) {
      const { workflowId, runId } = next.value;
      await takeWorkflow({ workflowId, runId }, place, allDied);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function takeWorkflow(execution: Execution, place: Place, allDied: boolean): Promise<void> {
  const { client, namespace } = place;
  const described = await client.workflowService.describeWorkflowExecution({ namespace, execution });
  const lost = (described.pendingActivities ?? []).filter(isLost);
  // Else the next task waits for the dead worker for some seconds.
  if (lost.length > 0 || allDied) await client.workflowService.resetStickyTaskQueue({ namespace, execution });
  for (const activity of lost) await takeActivity(execution, activity, place);
  // Which worker has a workflow's task is not said.
  if (allDied) await takeTask(execution, described, place);
}

/** Reports whether an attempt of an activity ended with its worker, and the server does not know yet. */
function isLost(activity: PendingActivity): boolean {
  const { state, attempt, maximumAttempts, lastWorkerIdentity, lastHeartbeatTime, lastStartedTime } =
    activity;
  const lastSign = Math.max(millisecondsOf(lastHeartbeatTime), millisecondsOf(lastStartedTime));
  return (
    state === PendingActivityState.PENDING_ACTIVITY_STATE_STARTED &&
    isOfDeadWorker(lastWorkerIdentity) &&
    Date.now() - lastSign < SOON_MISSED &&
    // The workflow is told of the end of the last attempt, as it would be otherwise.
    !(maximumAttempts && (attempt ?? 1) >= maximumAttempts)
  );
}

/** Ends an attempt, which then counts as one that its worker did not survive, as by a missed heartbeat. */
async function takeActivity(
  execution: Execution,
  { activityId, lastWorkerIdentity }: PendingActivity,
  { client, namespace }: Place,
): Promise<void> {
  await client.workflowService.respondActivityTaskFailedById({
    namespace,
    ...execution,
    activityId: activityId ?? '',
    identity: processIdentity(),
    failure: {
      message: `its worker has died: ${lastWorkerIdentity}`,
      source: 'reprise',
      applicationFailureInfo: { type: 'WorkerDied' },
    },
  });
}

/** Ends the task of a workflow that was begun, where there is one; it is given to another worker at once. */
async function takeTask(
  execution: Execution,
  { pendingWorkflowTask, workflowExecutionInfo }: Described,
  { client, namespace, namespaceId }: Place,
): Promise<void> {
  if (pendingWorkflowTask?.state !== PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_STARTED) return;
  const length = workflowExecutionInfo?.historyLength?.toNumber() ?? 0;
  // A history ends with the schedule and the start of the task, with its schedule, or, for an update, before both.
  for (const scheduled of [length + 1, length, length - 1]) {
    const request = {
      namespace,
      identity: processIdentity(),
      cause: WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE,
      taskToken: taskToken(execution, namespaceId, scheduled, pendingWorkflowTask.attempt ?? 1),
    };
    const isEnded = await client.workflowService.respondWorkflowTaskFailed(request).then(
      () => true,
      () => false,
    );
    if (isEnded) return;
  }
}

/**
 * Returns the token with which a workflow's task is answered, as the server makes it: a protobuf message, `Task` in
 * temporal/server/api/token/v1/message.proto of https://github.com/temporalio/temporal.
 */
function taskToken(
  { workflowId, runId }: Execution,
  namespaceId: string,
  scheduledEvent: number,
  attempt: number,
): Uint8Array {
  const texts = [namespaceId, workflowId, runId].flatMap((text, index) => {
    const bytes = Buffer.from(text);
    return [((index + 1) << 3) | 2, ...varint(bytes.length), ...bytes];
  });
  return Uint8Array.from([...texts, 4 << 3, ...varint(scheduledEvent), 5 << 3, ...varint(attempt)]);
}

/** Encodes a whole number as protobuf does: seven bits a byte, the lowest first. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}
