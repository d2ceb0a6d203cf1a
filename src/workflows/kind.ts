/** A workflow, as the SDK calls one. */
export type WorkflowFunction = (...args: never[]) => Promise<unknown>;

/** The workflows of a kind of experiment. They are bundled for a sandbox without Node: nothing else of a kind is in here. */
export interface WorkflowKind {
  /** Names the kind, and is the type of the workflow that somebody starts. */
  id: string;
  experiment: WorkflowFunction;
  /** Workflows that its experiments start, by their types. */
  children?: Readonly<Record<string, WorkflowFunction>>;
}
