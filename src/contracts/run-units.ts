/** Input of the activity that runs a bundle of units in a worker's process. */
interface RunUnitsInput {
  /** Reference of the experiment for its activities. */
  run: string;
  /** Type of the workflow that runs the units. */
  type: string;
  /** Its arguments; the number of the activity's attempt, from 1, follows them. */
  args: unknown[];
}

/** Input of the activity that runs one unit, which would be a child workflow of its experiment otherwise. */
export interface RunUnitInput extends RunUnitsInput {
  /** Workflow ID of the unit. */
  unit: string;
}

/** Query of an experiment: the signals that wait for units, for the workers that run these. */
export const UNIT_MAIL = 'mail';

/** Signal to the units of a worker that is about to stop. */
export const UNITS_STOPPING = 'stopping';

/** Signals to units, by the unit's workflow ID and the signal's name: the arguments of the newest. */
export type UnitMail = Record<string, Record<string, unknown[]>>;

/** Activities that run units in a worker's process. */
export interface UnitsActivities {
  runUnits(input: RunUnitsInput): Promise<unknown>;
  /** @throws ApplicationFailure of the type `WorkerCrash` where two workers were lost with it */
  runUnit(input: RunUnitInput): Promise<unknown>;
}
