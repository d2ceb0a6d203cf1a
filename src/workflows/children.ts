import type { ChildExecution } from '../contracts/experiment.js';
import { getExternalWorkflowHandle, type SignalDefinition, workflowInfo } from './sdk.js';

/** Returns the identity of this execution of a child workflow, for its experiment. */
export function ownExecution(): ChildExecution {
  const { workflowId, firstExecutionRunId, runId } = workflowInfo();
  return { workflow_id: workflowId, first: firstExecutionRunId, run: runId };
}

/**
 * Option of a child's start: a running child of the same ID belongs to an execution of the experiment from before a
 * reset. It is terminated; its results are in the store.
 */
export const REPLACES = { workflowIdReusePolicy: 'TERMINATE_IF_RUNNING' } as const;

/**
 * Sends a signal to a child by its workflow ID: after a reset of the parent, the server does not know an earlier child
 * as a child of the new execution. The delivery is not awaited; a child that has just ended needs no signal.
 */
export function signalTo<Sent extends unknown[]>(
  { workflowId }: { workflowId: string },
  signal: SignalDefinition<Sent>,
  ...sent: Sent
): void {
  getExternalWorkflowHandle(workflowId)
    .signal(signal, ...sent)
    .catch(() => undefined);
}

interface Early {
  from: ChildExecution;
  handle: () => void;
}

/** Children that an execution of an experiment has started; after a reset, others may still be running. */
export class Children {
  /** Run IDs of first executions. */
  private readonly own = new Set<string>();
  /** Reports of children that are being started, received before their start was confirmed; by workflow ID. */
  private readonly starting = new Map<string, Early[]>();
  private readonly dismissed = new Set<string>();

  /** Notes that a child is about to be started. */
  begins(workflowId: string): void {
    this.starting.set(workflowId, []);
  }

  joined({ workflowId, firstExecutionRunId }: { workflowId: string; firstExecutionRunId: string }): void {
    const early = this.starting.get(workflowId) ?? [];
    this.starting.delete(workflowId);
    this.own.add(firstExecutionRunId);
    for (const { from, handle } of early) this.received(from, handle);
  }

  /**
   * Handles a report of a child, at the latest when its start is confirmed. Any other sender is cancelled: its results
   * are not used, and it costs money.
   */
  received(from: ChildExecution, handle: () => void): void {
    if (this.own.has(from.first)) handle();
    else if (this.starting.has(from.workflow_id)) this.starting.get(from.workflow_id)?.push({ from, handle });
    else this.dismiss(from);
  }

  private dismiss({ workflow_id, run }: ChildExecution): void {
    const isOfThisName = workflow_id.startsWith(`${workflowInfo().workflowId}/`);
    if (!isOfThisName || this.dismissed.has(run)) return;
    this.dismissed.add(run);
    getExternalWorkflowHandle(workflow_id, run)
      .cancel()
      .catch(() => undefined);
  }
}

/** Reports whether a message could not be delivered because its workflow has ended. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && /not found/.test(error.message);
}
