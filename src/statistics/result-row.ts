import type { Task } from '../contracts/environment.js';
import type { CallRecord, Usage } from '../contracts/language-model.js';
import type { EpisodeRecord, ResultRow, RowTask, TaskRow } from '../contracts/results.js';
import { cutOffReplies } from '../replies/reply-faults.js';
import { addCosts } from '../runtime/add-costs.js';
import { addUsage } from '../runtime/beside.js';

/** Sums token counts; a call without usage counts as zero. */
export function sumUsage(calls: readonly Pick<CallRecord, 'usage'>[]): Usage {
  return calls.reduce<Usage>((total, { usage }) => (usage === undefined ? total : addUsage(total, usage)), {
    input_tokens: 0,
    output_tokens: 0,
  });
}

/** Sums costs in US dollars, rounded to a millionth of a cent; null if any price is unknown. */
export function sumCost(calls: readonly Pick<CallRecord, 'cost_usd'>[]): number | null {
  const total = calls.reduce<number | null>((sum, { cost_usd }) => addCosts(sum, cost_usd), 0);
  return total === null ? null : roundCost(total);
}

export function roundCost(dollars: number): number {
  return Math.round(dollars * 1e8) / 1e8;
}

/** Adds the fields of the task to a row for writing. */
export function withTask(
  { id, trial, epoch, ...row }: ResultRow,
  { question, target, targets, choices, metadata }: Pick<Task, keyof RowTask>,
): TaskRow {
  return {
    id,
    trial,
    ...(epoch === undefined ? {} : { epoch }),
    question,
    target,
    ...(targets === undefined ? {} : { targets }),
    ...(choices === undefined ? {} : { choices }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...row,
  };
}

/** Builds the row of `results.jsonl` for an episode and its calls. */
export function resultRow(episode: EpisodeRecord, calls: readonly CallRecord[]): ResultRow {
  const last = episode.steps.at(-1);
  const failed = episode.error !== null;
  const acts = calls.filter((call) => call.purpose === 'act');
  const cut_off = cutOffReplies(acts);
  return {
    id: episode.sample_id,
    trial: episode.trial,
    ...(episode.epoch === undefined ? {} : { epoch: episode.epoch }),
    action: last?.action ?? null,
    extracted: last?.feedback.extra?.extracted ?? null,
    feedback: failed ? null : (last?.feedback ?? null),
    ...(failed || last?.info === undefined ? {} : { info: last.info }),
    reward: failed ? null : episode.reward,
    error: episode.error,
    ...(episode.unjudged === undefined ? {} : { unjudged: episode.unjudged }),
    ...(episode.warnings.length > 0 ? { warnings: episode.warnings } : {}),
    ...(last?.done === true ? {} : { truncated: true as const }),
    steps: episode.steps.length,
    ...(episode.steps.length > 1 ? { step_records: episode.steps } : {}),
    finish_reason: acts.at(-1)?.finish_reason ?? null,
    ...(cut_off === null ? {} : { cut_off }),
    lm_calls: calls.length,
    ...(episode.executions === undefined ? {} : { code_executions: episode.executions }),
    ...(episode.agent_metrics === undefined ? {} : { agent_metrics: episode.agent_metrics }),
    usage: sumUsage(calls),
    cost_usd: sumCost(calls),
    started_at: new Date(episode.started_at).toISOString(),
    seconds: (episode.ended_at - episode.started_at) / 1000,
  };
}

/** Formats what a grader read out of an answer; the whole answer where it read nothing. */
export function answerOf({ extracted, action, unjudged }: ResultRow): string | null {
  if (extracted === null) return action ?? unjudged ?? null;
  return typeof extracted === 'string' ? extracted : JSON.stringify(extracted);
}
