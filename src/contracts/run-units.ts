/** Input of the activity that runs a bundle of units in a worker's process. */
export interface RunUnitsInput {
  /** Reference of the experiment for its activities. */
  run: string;
  /** Type of the workflow that runs the units. */
  type: string;
  /** Its arguments; {@link UnitsOf} follows them. */
  args: unknown[];
}

/** Attempt of a bundle. */
export interface UnitsOf {
  /** Number of the attempt, from 1. */
  attempt: number;
}

/** Activity that runs a bundle of units. */
export interface UnitsActivities {
  runUnits(input: RunUnitsInput): Promise<unknown>;
}
