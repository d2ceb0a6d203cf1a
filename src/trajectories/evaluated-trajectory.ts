import type { Frozen } from './frozen.js';
import { read, trust } from './read.js';
import {
  type AREEvaluatedTrajectoryData,
  areEvaluatedTrajectorySchema,
  type JudgeResponse,
  judgedValueSchema,
  type LLMEvaluatedTrajectoryData,
  llmEvaluatedTimeStepSchema,
  llmEvaluatedTrajectorySchema,
  trajectorySchema,
} from './schema.js';
import { LLMEvaluatedTimeStep, type LLMEvaluatedTimeStepInput } from './time-step.js';
import { Trajectory, type TrajectoryInput } from './trajectory.js';

/** Evaluation of an episode: by convention with `success` and `rationale`. */
export type Evaluation = Frozen<Record<string, unknown>>;

/** A trajectory with an evaluation, by any evaluator. */
export abstract class EvaluatedTrajectory extends Trajectory {
  /** The evaluation, in the evaluator's own form. */
  abstract get evaluation(): Evaluation;
}

export type AREEvaluatedTrajectoryInput = TrajectoryInput &
  Pick<AREEvaluatedTrajectoryData, 'are_evaluation'>;

/** A trajectory that was evaluated by the oracle matching of ARE (Agents Research Environments). */
export class AREEvaluatedTrajectory extends EvaluatedTrajectory implements AREEvaluatedTrajectoryData {
  /** Fields: `success`, `rationale`, `judge_model`, `oracle_matching_failures`, `duration` in seconds. */
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
} & Partial<Pick<LLMEvaluatedTrajectoryData, 'judge_response' | 'are_evaluation'>>;

/** A trajectory that a language model judged, step by step and as a whole. */
export class LLMEvaluatedTrajectory extends EvaluatedTrajectory implements LLMEvaluatedTrajectoryData {
  declare readonly timesteps: readonly LLMEvaluatedTimeStep[];
  readonly judge_response: JudgeResponse;
  /** Earlier evaluation by ARE; absent where there is none. */
  readonly are_evaluation?: Evaluation;

  constructor(input: LLMEvaluatedTrajectoryInput) {
    const { judge_response, are_evaluation, ...trajectory } = read(
      llmEvaluatedTrajectorySchema,
      input,
      'judged trajectory',
    );
    super(trust(trajectory, trajectorySchema));
    this.timesteps = Object.freeze(
      trajectory.timesteps.map((step) => new LLMEvaluatedTimeStep(trust(step, llmEvaluatedTimeStepSchema))),
    );
    this.judge_response = judge_response;
    if (are_evaluation !== undefined) this.are_evaluation = are_evaluation;
    if (new.target === LLMEvaluatedTrajectory) Object.freeze(this);
  }

  static override parse(value: unknown): LLMEvaluatedTrajectory {
    return new LLMEvaluatedTrajectory(value as LLMEvaluatedTrajectoryInput);
  }

  /** Creates a judged trajectory: the data of the episode is unchanged, and the steps are the given ones. */
  static fromTrajectory(
    trajectory: Trajectory,
    judged: {
      timesteps: readonly (LLMEvaluatedTimeStep | LLMEvaluatedTimeStepInput)[];
      judge_response?: JudgeResponse;
    },
  ): LLMEvaluatedTrajectory {
    const { reset_kwargs, error_info, episode_id } = trajectory;
    const are_evaluation = areEvaluationOf(trajectory);
    return new LLMEvaluatedTrajectory({ reset_kwargs, error_info, episode_id, are_evaluation, ...judged });
  }

  /**
   * Converts an ARE evaluation to the form of a language model's judgement: `judge_response` contains the fields that
   * it supports (`success`, `rationale`, `judge_model`, `duration`), and `are_evaluation` the whole evaluation. Where
   * no step has a reward, the last one gets 1 for a success, and all others 0.
   */
  static fromARE(trajectory: AREEvaluatedTrajectory): LLMEvaluatedTrajectory {
    const { are_evaluation, timesteps } = trajectory;
    const { success } = are_evaluation;
    const isRewarded = typeof success !== 'boolean' || timesteps.some(({ reward }) => reward !== null);
    const last = timesteps.length - 1;
    return LLMEvaluatedTrajectory.fromTrajectory(trajectory, {
      timesteps: timesteps.map((step, index) => ({
        ...step.toJSON(),
        ...(isRewarded ? {} : { reward: index === last ? Number(success) : 0 }),
      })),
      judge_response: responseOf(are_evaluation),
    });
  }

  /** The judge's response about the whole episode; empty where there is none. */
  get evaluation(): Evaluation {
    return this.judge_response ?? {};
  }

  override toJSON(): LLMEvaluatedTrajectoryData {
    return {
      ...super.toJSON(),
      timesteps: this.timesteps.map((step) => step.toJSON()),
      judge_response: this.judge_response,
      ...(this.are_evaluation === undefined ? {} : { are_evaluation: this.are_evaluation }),
    };
  }
}

function areEvaluationOf(trajectory: Trajectory): Evaluation | undefined {
  const isEvaluated =
    trajectory instanceof AREEvaluatedTrajectory || trajectory instanceof LLMEvaluatedTrajectory;
  return isEvaluated ? trajectory.are_evaluation : undefined;
}

/** Selects the fields of an evaluation that a judge's response may have. */
function responseOf(evaluation: Evaluation): JudgeResponse {
  const fields = Object.entries(evaluation).filter(([, value]) => judgedValueSchema.safeParse(value).success);
  return Object.fromEntries(fields) as JudgeResponse;
}

/** Parses a trajectory of any kind, which is recognised by the fields of an evaluation. */
export function parseTrajectory(value: unknown): Trajectory {
  if (typeof value === 'object' && value !== null) {
    // A judged trajectory may also have an ARE evaluation.
    if ('judge_response' in value) return LLMEvaluatedTrajectory.parse(value);
    if ('are_evaluation' in value) return AREEvaluatedTrajectory.parse(value);
  }
  return Trajectory.parse(value);
}
