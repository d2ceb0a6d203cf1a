import type { AgentEvalMetrics, AgentEvalProgress } from '../contracts/agent-eval-results.js';
import { scoreOrDash } from '../evolution/scores.js';
import { besideRows, estimatedText } from '../statistics/beside-text.js';
import { closingFacts, errorFacts, type Fact, factTable } from './fact-table.js';
import { dollars } from './progress-markdown.js';

/** What the Temporal UI shows of an evaluation on task bundles. */
export function agentEvalMarkdown(progress: AgentEvalProgress, metrics: AgentEvalMetrics | null): string {
  const { experiment, phase, totals, mean_reward, agent_model, user_model } = progress;
  const { agent_turns, tool_calls, tool_calls_failed, lm_calls, cost_usd, errors, user_faults } = totals;
  const rows: Fact[] = [
    ['phase', phase],
    ['rollouts', `${progress.ended} of ${progress.rollouts_planned}, ${progress.running} running`],
    ['mean reward', scoreOrDash(mean_reward)],
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
