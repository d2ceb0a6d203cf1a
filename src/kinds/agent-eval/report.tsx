import { Count } from '../../reports/figures.js';
import type { Section } from '../../reports/page.js';
import { errorSection, factSection, groupsSection, type Report } from '../../reports/report.js';
import { NumberCell, Table } from '../../reports/table.js';
import { AGENT_EVAL_FACTS, rewardFacts } from './facts.js';
import type { AgentEvalMetrics } from './results.js';

/** Returns the page of an evaluation on task bundles: figures, pass@k and pass^k, the rows, and how rollouts ended. */
export function agentEvalReport(metrics: AgentEvalMetrics): Report {
  const ended = { metrics, facts: AGENT_EVAL_FACTS };
  return {
    ...ended,
    kind: 'Agent evaluation',
    changes: metrics.code_changes,
    what: 'rollouts',
    sections: [
      ...factSection(
        ended,
        'pass',
        { id: 'pass', title: 'Pass', heading: 'Pass@k and pass^k' },
        'No rollout was judged.',
      ),
      ...factSection(
        ended,
        'reward_metrics',
        { id: 'metrics', title: 'Metrics', heading: 'Metrics of the reward' },
        'The reward names none.',
      ),
      ...groupsSection(rewardFacts(metrics, Number.POSITIVE_INFINITY)),
      ...factSection(ended, 'by_row', { id: 'rows', title: 'Rows' }, 'There are none.'),
      endingSection(metrics),
      errorSection(metrics, 'rollout'),
    ],
  };
}

function endingSection({ endings, user_faults }: AgentEvalMetrics): Section {
  const faults = Object.entries(user_faults).map(
    ([fault, number]) => [`user_fault: ${fault}`, number] as const,
  );
  const rows = [...Object.entries(endings), ...faults].filter(([, number]) => number > 0);
  const content =
    rows.length === 0 ? (
      <p>No rollout has ended.</p>
    ) : (
      <Table label="Table of endings" columns={['ended by', 'rollouts']}>
        {rows.map(([ending, number]) => (
          <tr>
            <th scope="row">
              <code>{ending}</code>
            </th>
            <NumberCell>
              <Count value={number} />
            </NumberCell>
          </tr>
        ))}
      </Table>
    );
  return { id: 'endings', title: 'Endings', heading: 'How rollouts ended', content };
}
