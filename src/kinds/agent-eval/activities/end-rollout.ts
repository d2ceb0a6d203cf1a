import { heartbeating } from '../../../activities/attempt-journal.js';
import { executionOf } from '../../../contracts/experiment.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import { cutOffReplies } from '../../../replies/reply-faults.js';
import { keptOf } from '../../../runtime/step-cost.js';
import type { BundleRow } from '../bundles/contracts.js';
import type { EndRolloutInput, RolloutResult, RolloutRow } from '../contracts.js';
import { callsAsText } from '../rollouts/calls-as-text.js';
import { FAULT_SENTENCES } from '../rollouts/user-faults.js';
import type { AgentEvalContext, AgentEvalContexts, OpenRollout } from './agent-eval-context.js';
import { type Judgement, judgeRollout, notJudged } from './judge-rollout.js';
import { agentCalls } from './recorded-calls.js';
import { RolloutResults } from './rollout-results.js';

/** Judges a rollout, unless it ended with an error or a faulty user spoiled it. */
async function judgementOf(
  context: AgentEvalContext,
  rollout: OpenRollout,
  { outcome, error }: Pick<EndRolloutInput, 'outcome' | 'error'>,
  calls: readonly CallRecord[],
): Promise<Judgement> {
  if (error !== null) return notJudged(error.type, error.message);
  if (outcome === null) throw new Error('a rollout ends with an outcome or with an error');
  if (outcome.user_fault === null) return judgeRollout(context, rollout, { outcome, calls });
  const why = FAULT_SENTENCES[outcome.user_fault];
  return notJudged('user_fault', `the simulated user did not play its part: ${why}`);
}

/** Returns a row's question and metadata for the results; the whole row is in `rows/`. */
function askedIn({ initial_messages, metadata }: BundleRow): Pick<RolloutRow, 'question' | 'metadata'> {
  const asked = initial_messages.findLast(({ role }) => role === 'user');
  return {
    ...(asked === undefined ? {} : { question: asked.content }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function statusOf({ error }: Judgement, { outcome }: EndRolloutInput): RolloutRow['status'] {
  if (error === null) return 'done';
  return outcome?.user_fault == null ? 'error' : 'user_fault';
}

/**
 * Creates the activity that ends a rollout: it stores the final database under the rollout's name, judges the rollout
 * with the reward, and stores the result. A result that the same execution has stored is not judged again.
 */
export function createEndRollout(contexts: AgentEvalContexts) {
  async function rowOf(context: AgentEvalContext, input: EndRolloutInput): Promise<RolloutRow> {
    const { outcome, totals, started_at, ended_at } = input;
    const rollout = await context.rollout(input);
    const calls = await agentCalls(context.calls, rollout);
    const finished = outcome === null ? null : await rollout.database.finish(outcome.place.at);
    const judgement = await judgementOf(context, rollout, input, calls);
    const cut_off = cutOffReplies(calls, 'models.agent');
    const tool_calls_as_text = callsAsText(calls);
    return {
      task_id: input.row,
      trial: input.rollout,
      rollout_id: rollout.id,
      ...askedIn(rollout.stored.row),
      status: statusOf(judgement, input),
      ending: outcome?.ending ?? null,
      ...judgement,
      user_fault: outcome?.user_fault ?? null,
      ...(cut_off === null ? {} : { cut_off }),
      ...(tool_calls_as_text === 0 ? {} : { tool_calls_as_text }),
      user_turns: outcome?.place.user_turns ?? null,
      ...keptOf(totals),
      database: finished?.database ?? null,
      content_hash: finished?.content_hash ?? null,
      started_at: new Date(started_at).toISOString(),
      seconds: (ended_at - started_at) / 1000,
    };
  }

  return (input: EndRolloutInput): Promise<Pick<RolloutResult, 'status' | 'score' | 'error'>> =>
    heartbeating(async () => {
      const context = await contexts.get(input.run);
      const results = new RolloutResults(context.store);
      const execution = executionOf(input.run);
      const stored = await results.find(input);
      if (stored?.execution === execution) return summary(stored.row);
      const { row } = await results.save({ execution, row: await rowOf(context, input) });
      const { task_id: sample, trial, status, ending, reward, error } = row;
      const time = new Date(input.ended_at).toISOString();
      context.log('rollout').info({ time, sample, trial, status, ending, reward, error }, 'rollout ended');
      return summary(row);
    });
}

function summary({ status, reward, error }: RolloutRow): Pick<RolloutResult, 'status' | 'score' | 'error'> {
  return { status, score: reward, error };
}
