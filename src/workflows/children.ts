import type { ChildExecution } from '../contracts/experiment.js';
import { getExternalWorkflowHandle, type SignalDefinition, workflowInfo } from './sdk.js';

/** This execution of a child workflow, as it names itself to its experiment. */
export function ownExecution(): ChildExecution {
  const { workflowId, firstExecutionRunId, runId } = workflowInfo();
  return { workflow_id: workflowId, first: firstExecutionRunId, run: runId };
}

/**
 * Of a child's start: one of the same name that is at work still belongs to an execution of the experiment that was
 * reset. It is ended, and what it has done is found in the store.
 */
export const REPLACES = { workflowIdReusePolicy: 'TERMINATE_IF_RUNNING' } as const;

/**
 * Tells a child something. By its name: a child that was started before its parent was reset is no child of the parent's
 * present execution to the server. Whether it hears is not waited for; one that has just ended need not.
 */
export function tell<Sent extends unknown[]>(
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

/** The children that an execution of an experiment has started; a reset leaves others at work. */
export class Children {
  /** Run ids of first executions. */
  private readonly own = new Set<string>();
  /** By workflow id, those that are being started, with what came before their start was heard of. */
  private readonly starting = new Map<string, Early[]>();
  private readonly dismissed = new Set<string>();

  /** One is about to be started. */
  begins(workflowId: string): void {
    this.starting.set(workflowId, []);
  }

  joined({ workflowId, firstExecutionRunId }: { workflowId: string; firstExecutionRunId: string }): void {
    const early = this.starting.get(workflowId) ?? [];
    this.starting.delete(workflowId);
    this.own.add(firstExecutionRunId);
    for (const { from, handle } of early) this.hear(from, handle);
  }

  /**
   * Handles what one of them says, at the latest when its start is heard of. Whoever else says that it is one is ended:
   * nobody hears of what it does, and it spends.
   */
  hear(from: ChildExecution, handle: () => void): void {
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

/** Whether a message could not be delivered because the workflow it is for has ended. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && /not found/.test(error.message);
}
