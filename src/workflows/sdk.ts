import * as temporal from '@temporalio/workflow';

/*
 * Functions of Temporal's SDK that experiments use while they run. Everything else from the SDK (types of failures,
 * names of messages) is the same wherever it is loaded.
 */
export let {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  log,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} = temporal;
let { scheduleActivity } = temporal;

/** Offers functions to activities of this process. @returns the name of the offer @throws Error in a workflow */
export let offer = (_functions: object): string => {
  throw new Error('the activities of a workflow may be in another process');
};
/** Withdraws an offer. */
export let withdraw = (_name: string): void => undefined;

/** Replaces Temporal's SDK by another one: that of the plain loop, in a process that runs no workflows. */
export function useSdk(other: typeof temporal & { offer: typeof offer; withdraw: typeof withdraw }): void {
  ({
    allHandlersFinished,
    CancellationScope,
    condition,
    continueAsNew,
    getExternalWorkflowHandle,
    log,
    setCurrentDetails,
    setHandler,
    sleep,
    startChild,
    upsertSearchAttributes,
    workflowInfo,
  } = other);
  ({ offer, scheduleActivity, withdraw } = other);
}

/** Returns the activities with these options, by name. */
export function activitiesOf<Activities extends object>(
  options: temporal.ActivityOptions,
): temporal.ActivityInterfaceFor<Activities> {
  const call = (name: string) =>
    Object.assign((...args: unknown[]) => scheduleActivity(name, args, options), {
      executeWithOptions: (more: temporal.ActivityOptions, args: unknown[]) =>
        scheduleActivity(name, args, { ...options, ...more }),
    });
  return new Proxy({}, { get: (_, name) => call(String(name)) }) as temporal.ActivityInterfaceFor<Activities>;
}

export {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  ContinueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  type SignalDefinition,
  TimeoutFailure,
  type Workflow,
  type WorkflowResultType,
} from '@temporalio/workflow';
