import { sinkOf } from '../../../activities/run-log.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import { withLog } from '../../../user-code/log.js';
import { RewardError, type RewardOutput } from '../bundles/reward.js';
import type { RolloutOutcome, RolloutRow } from '../contracts.js';
import { rolloutTrajectory } from '../trajectory.js';
import type { AgentEvalContext, OpenRollout } from './agent-eval-context.js';
import { isLastingFailure, ROLLOUT_ERRORS } from './rollout-failures.js';

/** Time limit of a reward, in seconds. */
const REWARD_SECONDS = 600;

export type Judgement = Pick<RolloutRow, 'reward' | 'reason' | 'metrics' | 'error'>;

const UNJUDGED: Judgement = { reward: null, reason: null, metrics: {}, error: null };

export function notJudged(type: string, message: string): Judgement {
  return { ...UNJUDGED, error: { type, message } };
}

/**
 * Judges the end of a rollout with the bundle's reward. A reward that fails is an error of the rollout. Other failures
 * are thrown, so that the activity is retried, until they are final; see {@link isLastingFailure}.
 */
export async function judgeRollout(
  context: AgentEvalContext,
  rollout: OpenRollout,
  { outcome, calls }: { outcome: RolloutOutcome; calls: readonly CallRecord[] },
): Promise<Judgement> {
  const { stored, database } = rollout;
  const { messages } = await context.conversations.at(rollout, outcome.place);
  const name = {
    task_id: rollout.row,
    trial: rollout.rollout,
    reward: null,
    error: null,
    ending: outcome.ending,
  };
  const trajectory = rolloutTrajectory(name, calls, context.config.seed);
  try {
    const asked = {
      messages: structuredClone(messages),
      seed: await database.read(await database.begin()),
      database: await database.read(outcome.place.at),
      trajectory,
    };
    const about = { sample: rollout.row, trial: rollout.rollout };
    const sink = sinkOf((component) => context.log(component), 'reward', about);
    const limits = { timeoutMs: REWARD_SECONDS * 1000 };
    return judgementOf(await withLog(sink, () => context.code.judge(stored, asked, limits)));
  } catch (error) {
    if (error instanceof RewardError) return notJudged(ROLLOUT_ERRORS.reward, error.message);
    if (isLastingFailure(error)) return notJudged(ROLLOUT_ERRORS.infrastructure, error.message);
    throw error;
  }
}

function judgementOf({ score, reason, metrics }: RewardOutput): Judgement {
  return { reward: score, reason, metrics, error: null };
}
