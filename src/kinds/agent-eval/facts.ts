import {
  countFact,
  type Fact,
  labelOf,
  lineFacts,
  scoreFact,
  stateFact,
  tableFacts,
  textFact,
} from '../../facts/fact.js';
import { changeFacts, clusterFacts, spendingFacts, unitsFact } from '../../facts/frame.js';
import { type GroupRow, groupTable, SHOWN_GROUPS } from '../../facts/group-table.js';
import type { KindFacts } from '../../facts/kind-facts.js';
import { estimateCells, UNCERTAINTY_HEADS } from '../../facts/uncertainty.js';
import { largestGroups } from '../../statistics/groups.js';
import { type TrialWords, weightsText } from '../../statistics/pass-at-k.js';
import { sumOf } from '../../statistics/sums.js';
import type { RolloutResult } from './contracts.js';
import type { AgentEvalMetrics, AgentEvalProgress, RolloutProgress } from './results.js';

/** Words for a trial and a task in the figures of several trials. */
export const ROLLOUTS_OF_ROWS: TrialWords = { trial: 'rollout', task: 'row' };

type Work = Pick<AgentEvalProgress, 'agent_turns' | 'tool_calls' | 'tool_calls_failed'>;

function facts(progress: AgentEvalProgress): Fact[] {
  const { mean_reward, user_faults, metrics } = progress;
  return [
    unitsFact(
      progress,
      metrics === null ? null : `${metrics.rollouts} with a reward, of ${metrics.rows} rows`,
    ),
    scoreFact('mean_reward', mean_reward, {
      interval: metrics?.mean_reward_interval,
      stderr: metrics?.mean_reward_stderr,
      brief: 'always',
    }),
    countFact('user_faults', user_faults, {
      label: 'spoiled by the user',
      note: user_faults === 0 ? undefined : faultsNote(metrics),
      brief: 'some',
    }),
    ...(metrics === null ? [] : endedFacts(metrics)),
    ...workFacts(progress),
    ...lineFacts('in_words', progress.means ?? [], { label: 'in words' }),
  ];
}

function workFacts({ agent_turns, tool_calls, tool_calls_failed }: Work): Fact[] {
  return [
    countFact('agent_turns', agent_turns, { label: 'replies of the agent' }),
    countFact('tool_calls', tool_calls, { note: `${tool_calls_failed} failed` }),
  ];
}

function faultsNote(metrics: AgentEvalMetrics | null): string {
  const counts = metrics === null ? '' : `${countsText(metrics.user_faults)}, `;
  return `${counts}no failures: in no rate`;
}

function endedFacts(metrics: AgentEvalMetrics): Fact[] {
  const { pass_at_k, pass_hat_k, pass_rows, pass_warning, clustered_by, figure_warnings = [] } = metrics;
  return [
    ...changeFacts(metrics.code_changes, 'rollouts'),
    ...clusterFacts(clustered_by, figure_warnings),
    textFact('endings', countsText(metrics.endings) || '–'),
    ...tableFacts(
      'pass',
      {
        head: ['k', 'pass@k', 'pass^k', 'rows'],
        rows: pass_at_k.map((rate, index) => [
          { kind: 'count', count: index + 1 },
          { kind: 'rate', rate },
          { kind: 'rate', rate: pass_hat_k[index] ?? null },
          { kind: 'count', count: pass_rows[index] ?? 0 },
        ]),
        notes: [
          weightsText(ROLLOUTS_OF_ROWS),
          ...(pass_warning === undefined ? [] : [`Warning: ${pass_warning}.`]),
        ],
      },
      { label: 'pass@k and pass^k' },
    ),
    ...tableFacts(
      'reward_metrics',
      {
        head: ['metric of the reward', 'rollouts', 'mean', ...UNCERTAINTY_HEADS],
        rows: Object.entries(metrics.reward_metrics).map(([name, { rollouts, mean, ...uncertainty }]) => [
          { kind: 'text', text: name },
          { kind: 'count', count: rollouts },
          ...estimateCells({ kind: 'score', score: mean, ...uncertainty }),
        ]),
      },
      { label: 'metrics of the reward' },
    ),
    ...rewardFacts(metrics, SHOWN_GROUPS),
    ...tableFacts(
      'by_row',
      {
        head: ['row', 'rollouts', 'successes', 'mean reward'],
        rows: Object.entries(metrics.by_row).map(([row, { rollouts, successes, mean_reward }]) => [
          { kind: 'text', text: row },
          { kind: 'count', count: rollouts },
          { kind: 'count', count: successes },
          { kind: 'score', score: mean_reward },
        ]),
      },
      { label: 'rows' },
    ),
  ];
}

/**
 * Returns tables of the mean reward by the values of each field of `metrics.by`.
 * @param maxGroups groups of a field that are listed, those with the most rollouts
 */
export function rewardFacts({ by = {} }: Pick<AgentEvalMetrics, 'by'>, maxGroups: number): Fact[] {
  return Object.entries(by).flatMap(([field, figures]) => {
    const [listed, left] = largestGroups(Object.entries(figures), maxGroups, ([, { rollouts }]) => rollouts);
    const rows = listed.map(([name, { rollouts, errors, mean_reward: score, ...group }]): GroupRow => {
      const { mean_reward_stderr: stderr, mean_reward_interval: interval } = group;
      return { name, units: rollouts, errors, estimate: { kind: 'score', score, stderr, interval } };
    });
    const others = sumOf(left.map(([, { rollouts }]) => rollouts));
    return groupTable(
      {
        id: `by:${field}`,
        label: `mean reward by ${field}`,
        heads: [field, 'rollouts', 'mean reward'],
        notes: left.length === 0 ? [] : [`Without ${left.length} others with ${others} rollouts.`],
      },
      rows,
    );
  });
}

/** Formats counts by name, such as `2 empty, 1 role swap`; empty if all are 0. */
function countsText(counted: Readonly<Record<string, number>>): string {
  return Object.entries(counted)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${labelOf(name)}`)
    .join(', ');
}

/** Returns the facts of a rollout, for its page in the Temporal UI. */
export function rolloutFacts(
  { totals, waiting }: RolloutProgress,
  { status, ending, score, error }: Partial<RolloutResult>,
): Fact[] {
  const { agent_turns, tool_calls, tool_calls_failed } = totals;
  return [
    stateFact(status ?? 'running', waiting ? 'waits for a person: reprise reply' : null),
    ...(ending == null ? [] : [textFact('ending', ending, { label: 'ended by' })]),
    ...(score == null ? [] : [scoreFact('reward', score)]),
    ...(error == null ? [] : [textFact('error', `${error.type}: ${error.message}`)]),
    ...workFacts({ agent_turns, tool_calls, tool_calls_failed }),
    ...spendingFacts(totals),
  ];
}

/** Facts of an evaluation on task bundles: rollouts and their rewards. */
export const AGENT_EVAL_FACTS: KindFacts<AgentEvalProgress> = {
  facts,
  judged: ({ rollouts, errors, user_faults }) => {
    const spoiled = sumOf(Object.values(user_faults));
    return { what: 'rollout', judged: rollouts, errors, of: rollouts + errors + spoiled };
  },
  atEnd: ({ agent_model, user_model, rollouts, rollouts_planned, errors, ...metrics }) => {
    const user_faults = sumOf(Object.values(metrics.user_faults));
    return {
      models: { agent: agent_model, user: user_model },
      units: {
        noun: 'rollout',
        planned: rollouts_planned,
        ended: rollouts + errors + user_faults,
        running: 0,
      },
      mean_reward: metrics.mean_reward,
      user_faults,
      agent_turns: metrics.agent_turns,
      tool_calls: metrics.tool_calls,
      tool_calls_failed: metrics.tool_calls_failed,
    };
  },
};
