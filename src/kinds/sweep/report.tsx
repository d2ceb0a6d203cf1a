import { errorSection, factSection, type Report } from '../../reports/report.js';
import type { SweepMetrics } from './contracts.js';
import { SWEEP_FACTS } from './facts.js';

const TABLES = { cells: 'Cells', scores: 'Scores by setting', differences: 'Differences' };

/** Returns the page of a sweep: its tables, and where its cells are. */
export function sweepReport(metrics: SweepMetrics): Report {
  const of = { metrics, facts: SWEEP_FACTS };
  const folders = metrics.cells.map(({ name, status, artifacts }) => (
    <li key={name}>
      {name}: {status}
      {artifacts !== null && `, ${artifacts}`}
    </li>
  ));
  return {
    ...of,
    kind: 'Sweep',
    changes: [],
    what: 'cells',
    sections: [
      ...Object.entries(TABLES).flatMap(([id, title]) => factSection(of, id, { id, title })),
      { id: 'folders', title: 'Folders', content: <ul>{folders}</ul> },
      errorSection(metrics, 'cell'),
    ],
  };
}
