/** Workflow, as the SDK calls it. */
export type WorkflowFunction = (...args: never[]) => Promise<unknown>;

/**
 * Workflows of a kind of experiment. They are bundled for a sandbox without Node, so nothing else of a kind is in here.
 */
export interface WorkflowKind {
  /** Name of the kind, and type of the workflow that users start. */
  id: string;
  experiment: WorkflowFunction;
  /** Workflows that its experiments start, by their types. */
  children?: Readonly<Record<string, WorkflowFunction>>;
}
