import type { Frozen } from './frozen.js';
import { read, trust } from './read.js';
import { type TrajectoryData, timeStepSchema, trajectorySchema } from './schema.js';
import { TimeStep, type TimeStepInput } from './time-step.js';

/** Input of a trajectory: steps, as instances or as data, and any other fields. */
export type TrajectoryInput = { readonly timesteps: readonly (TimeStep | TimeStepInput)[] } & Partial<
  Omit<TrajectoryData, 'timesteps'>
>;

/** A complete episode, from its first step to its last. Immutable. */
export class Trajectory implements TrajectoryData {
  /** Steps in the episode's order; at least one. */
  readonly timesteps: readonly TimeStep[];
  /** Arguments with which the episode was started, such as `task_id`, `trial` and `seed`. */
  readonly reset_kwargs: Frozen<Record<string, unknown>>;
  /** Error with `error_type`, `message` and `traceback`, where one ended the episode. */
  readonly error_info: Readonly<Record<string, string>> | null;
  readonly episode_id: string | null;
  readonly schema_version: 1;

  /** Throws `InvalidTrajectoryError` where the input is not a valid trajectory. */
  constructor(input: TrajectoryInput) {
    const data = read(trajectorySchema, input, 'trajectory');
    this.timesteps = data.timesteps.map((step) => new TimeStep(trust(step, timeStepSchema)));
    this.reset_kwargs = data.reset_kwargs;
    this.error_info = data.error_info;
    this.episode_id = data.episode_id;
    this.schema_version = data.schema_version;
    Object.freeze(this.timesteps);
    if (new.target === Trajectory) Object.freeze(this);
  }

  /** Parses a trajectory from a JSON value, such as a line of `trajectories.jsonl`. */
  static parse(value: unknown): Trajectory {
    return new Trajectory(value as TrajectoryInput);
  }

  toJSON(): TrajectoryData {
    const { reset_kwargs, error_info, episode_id, schema_version } = this;
    const timesteps = this.timesteps.map((step) => step.toJSON());
    return { timesteps, reset_kwargs, error_info, episode_id, schema_version };
  }
}
