/** Input of the activity that runs a bundle of units in a worker's process. */
export interface RunUnitsInput {
  /** Reference of the experiment for its activities. */
  run: string;
  /** Type of the workflow that runs the units. */
  type: string;
  /** Its arguments; the number of the activity's attempt, from 1, follows them. */
  args: unknown[];
}

/** Activity that runs a bundle of units. */
export interface UnitsActivities {
  runUnits(input: RunUnitsInput): Promise<unknown>;
}
