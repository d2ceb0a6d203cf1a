import type { Frozen } from './frozen.js';
import { read, trust } from './read.js';
import {
  type AREEvaluatedTrajectoryData,
  areEvaluatedTrajectorySchema,
  type JudgeResponse,
  type LLMEvaluatedTrajectoryData,
  llmEvaluatedTimeStepSchema,
  llmEvaluatedTrajectorySchema,
  trajectorySchema,
} from './schema.js';
import { LLMEvaluatedTimeStep, type LLMEvaluatedTimeStepInput } from './time-step.js';
import { Trajectory, type TrajectoryInput } from './trajectory.js';

/** What somebody made of an episode: by convention with `success` and `rationale`. */
export type Evaluation = Frozen<Record<string, unknown>>;

/** A trajectory that was evaluated, whoever did it. */
export abstract class EvaluatedTrajectory extends Trajectory {
  /** The evaluation, in the evaluator's own form. */
  abstract get evaluation(): Evaluation;
}

export type AREEvaluatedTrajectoryInput = TrajectoryInput &
  Pick<AREEvaluatedTrajectoryData, 'are_evaluation'>;

/** A trajectory that the oracle matching of ARE (Agents Research Environments) evaluated. */
export class AREEvaluatedTrajectory extends EvaluatedTrajectory implements AREEvaluatedTrajectoryData {
  /** `success`, `rationale`, `judge_model`, `oracle_matching_failures`, `duration` in seconds. */
  readonly are_evaluation: Evaluation;

  constructor(input: AREEvaluatedTrajectoryInput) {
    const { are_evaluation, ...trajectory } = read(
      areEvaluatedTrajectorySchema,
      input,
      'evaluated trajectory',
    );
    super(trust(trajectory, trajectorySchema));
    this.are_evaluation = are_evaluation;
    if (new.target === AREEvaluatedTrajectory) Object.freeze(this);
  }

  static override parse(value: unknown): AREEvaluatedTrajectory {
    return new AREEvaluatedTrajectory(value as AREEvaluatedTrajectoryInput);
  }

  get evaluation(): Evaluation {
    return this.are_evaluation;
  }

  override toJSON(): AREEvaluatedTrajectoryData {
    return { ...super.toJSON(), are_evaluation: this.are_evaluation };
  }
}

export type LLMEvaluatedTrajectoryInput = Omit<TrajectoryInput, 'timesteps'> & {
  readonly timesteps: readonly (LLMEvaluatedTimeStep | LLMEvaluatedTimeStepInput)[];
} & Partial<Pick<LLMEvaluatedTrajectoryData, 'judge_response'>>;

/** A trajectory that a language model judged, step by step and as a whole. */
export class LLMEvaluatedTrajectory extends EvaluatedTrajectory implements LLMEvaluatedTrajectoryData {
  declare readonly timesteps: readonly LLMEvaluatedTimeStep[];
  readonly judge_response: JudgeResponse;

  constructor(input: LLMEvaluatedTrajectoryInput) {
    const { judge_response, ...trajectory } = read(llmEvaluatedTrajectorySchema, input, 'judged trajectory');
    super(trust(trajectory, trajectorySchema));
    this.timesteps = Object.freeze(
      trajectory.timesteps.map((step) => new LLMEvaluatedTimeStep(trust(step, llmEvaluatedTimeStepSchema))),
    );
    this.judge_response = judge_response;
    if (new.target === LLMEvaluatedTrajectory) Object.freeze(this);
  }

  static override parse(value: unknown): LLMEvaluatedTrajectory {
    return new LLMEvaluatedTrajectory(value as LLMEvaluatedTrajectoryInput);
  }

  /** A trajectory with a judge's verdicts: the episode stays what it was, the steps are those that are given. */
  static fromTrajectory(
    trajectory: Trajectory,
    judged: {
      timesteps: readonly (LLMEvaluatedTimeStep | LLMEvaluatedTimeStepInput)[];
      judge_response?: JudgeResponse;
    },
  ): LLMEvaluatedTrajectory {
    const { reset_kwargs, error_info, episode_id } = trajectory;
    return new LLMEvaluatedTrajectory({ reset_kwargs, error_info, episode_id, ...judged });
  }

  /** What the judge said of the whole; empty where it said nothing. */
  get evaluation(): Evaluation {
    return this.judge_response ?? {};
  }

  override toJSON(): LLMEvaluatedTrajectoryData {
    return {
      ...super.toJSON(),
      timesteps: this.timesteps.map((step) => step.toJSON()),
      judge_response: this.judge_response,
    };
  }
}

/** A trajectory of whichever kind from parsed JSON, told by the fields that only an evaluated one has. */
export function parseTrajectory(value: unknown): Trajectory {
  if (typeof value === 'object' && value !== null) {
    if ('are_evaluation' in value) return AREEvaluatedTrajectory.parse(value);
    if ('judge_response' in value) return LLMEvaluatedTrajectory.parse(value);
  }
  return Trajectory.parse(value);
}
