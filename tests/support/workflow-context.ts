/** A message from one workflow to another. */
export interface Sent {
  workflowId: string;
  signalName: string;
  args: unknown[];
}

interface SignalInput {
  signalName: string;
  args: unknown[];
  target: { workflowExecution?: { workflowId?: string }; childWorkflowId?: string };
}

interface Command {
  requestCancelExternalWorkflowExecution?: { workflowExecution: { workflowId: string; runId: string } };
}

/** The SDK's own place for the workflow that it runs. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };

/** Lets the code of a workflow run outside of one. @returns what it asks to be cancelled, in order. */
export function enterWorkflow(deliver: (sent: Sent) => void = () => undefined): { runId: string }[] {
  const cancelled: { workflowId: string; runId: string }[] = [];
  const signalWorkflow = async ({ signalName, args, target }: SignalInput) => {
    const workflowId = target.workflowExecution?.workflowId ?? target.childWorkflowId ?? '';
    deliver({ workflowId, signalName, args });
  };
  sdk.__TEMPORAL_ACTIVATOR__ = {
    info: { workflowId: 'mine', namespace: 'default' },
    nextSeqs: { signalWorkflow: 1, cancelWorkflow: 1 },
    rootScope: { consideredCancelled: false, cancellable: false },
    completions: { cancelWorkflow: new Map() },
    queryHandlers: new Map(),
    interceptors: { outbound: [{ signalWorkflow }] },
    bindCurrentRandom: (next: unknown) => next,
    pushCommand: ({ requestCancelExternalWorkflowExecution: request }: Command) => {
      if (request !== undefined) cancelled.push(request.workflowExecution);
    },
  };
  return cancelled;
}

/** What the workflow shows of itself in the Temporal UI. */
export function detailsOf(): string {
  return (sdk.__TEMPORAL_ACTIVATOR__ as { currentDetails?: string }).currentDetails ?? '';
}

export function leaveWorkflow(): void {
  delete sdk.__TEMPORAL_ACTIVATOR__;
}
