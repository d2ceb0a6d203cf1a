import type { AgentEvalMetrics, AgentEvalProgress } from '../contracts/agent-eval-results.js';
import { scoreOrDash } from '../evolution/scores.js';
import { besideRows, estimatedText } from '../statistics/beside-text.js';
import { scoreText } from '../statistics/figure-text.js';
import { ROLLOUTS_OF_ROWS, weightsText } from '../statistics/pass-at-k.js';
import { closingFacts, errorFacts, type Fact, factTable } from './fact-table.js';
import { dollars, percent } from './progress-markdown.js';

/** What the Temporal UI shows of a reward's metrics; all are in `metrics.json`. */
const MOST_METRICS = 50;

/** The figures that are there when all rollouts have ended. */
function figureFacts(metrics: Partial<AgentEvalMetrics> | null): Fact[] {
  const { mean_reward_interval: interval = null, reward_metrics = {}, pass_warning } = metrics ?? {};
  const { pass_at_k = [], pass_hat_k = [], pass_rows = [] } = metrics ?? {};
  const boundsText = (bounds: readonly [number, number] | null) =>
    bounds === null ? 'no interval' : `95 % interval ${bounds.map(scoreText).join(' to ')}`;
  return [
    ...(interval === null ? [] : [['', boundsText(interval)] as const]),
    ...Object.entries(reward_metrics)
      .slice(0, MOST_METRICS)
      .map(
        ([name, { rollouts, mean, interval: bounds }]): Fact => [
          `mean ${name}`,
          `${scoreText(mean)}, ${boundsText(bounds)}, of ${rollouts} rollouts`,
        ],
      ),
    ...pass_at_k.map(
      (share, index): Fact => [
        `pass@${index + 1}, pass^${index + 1}`,
        `${percent(share)}, ${percent(pass_hat_k[index] ?? null)}, of ${pass_rows[index] ?? 0} rows`,
      ],
    ),
    ...(pass_at_k.length === 0 ? [] : [['', weightsText(ROLLOUTS_OF_ROWS)] as const]),
    ...(pass_warning === undefined ? [] : [['warning', pass_warning] as const]),
  ];
}

/** What the Temporal UI shows of an evaluation on task bundles. */
export function agentEvalMarkdown(progress: AgentEvalProgress, metrics: AgentEvalMetrics | null): string {
  const { experiment, phase, totals, mean_reward, agent_model, user_model } = progress;
  const { agent_turns, tool_calls, tool_calls_failed, lm_calls, cost_usd, errors, user_faults } = totals;
  const rows: Fact[] = [
    ['phase', phase],
    ['rollouts', `${progress.ended} of ${progress.rollouts_planned}, ${progress.running} running`],
    ['mean reward', scoreOrDash(mean_reward)],
    ...figureFacts(metrics),
    ['errors', String(errors)],
    ...errorFacts(metrics?.errors_by_type, metrics?.error_causes),
    ['spoiled by the simulated user', String(user_faults)],
    ['agent', `${agent_model}${progress.simulated ? ' (a simulation: no benchmark figure)' : ''}`],
    ['user', user_model ?? 'none'],
    ['replies of the agent', String(agent_turns)],
    ['tool calls', `${tool_calls}, ${tool_calls_failed} failed`],
    ['LM calls', `${lm_calls}${estimatedText(totals)}`],
    ['cost', dollars(cost_usd)],
    ...besideRows(totals),
    ['concurrency', String(progress.concurrency)],
    ...closingFacts(progress),
  ];
  return factTable(experiment, rows).join('\n');
}
