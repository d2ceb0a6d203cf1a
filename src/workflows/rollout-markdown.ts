import type { RolloutResult } from '../contracts/agent-eval.js';
import type { RolloutProgress } from '../contracts/agent-eval-results.js';
import { besideRows, estimatedText } from '../statistics/beside-text.js';
import { scoreText } from '../statistics/figure-text.js';
import { type Fact, factTable } from './fact-table.js';
import { dollars } from './progress-markdown.js';

/** What the Temporal UI shows of a rollout. */
export function rolloutMarkdown(
  { row, rollout, totals, waiting }: RolloutProgress,
  { status, ending, score, error }: Partial<RolloutResult>,
): string {
  const { agent_turns, tool_calls, tool_calls_failed, lm_calls, cost_usd } = totals;
  const state = status ?? (waiting ? 'waits for a person: reprise reply' : 'running');
  const rows: Fact[] = [
    ['state', state],
    ...(ending == null ? [] : [['ended by', ending] as const]),
    ...(score == null ? [] : [['reward', scoreText(score)] as const]),
    ...(error == null ? [] : [['error', `${error.type}: ${error.message}`] as const]),
    ['replies of the agent', String(agent_turns)],
    ['tool calls', `${tool_calls}, ${tool_calls_failed} failed`],
    ['LM calls', `${lm_calls}${estimatedText(totals)}`],
    ['cost', dollars(cost_usd)],
    ...besideRows(totals),
  ];
  return factTable(`${row}, rollout ${rollout + 1}`, rows).join('\n');
}
