import { errorSection } from '../../reports/error-table.js';
import { html } from '../../reports/html.js';
import { pageEnd, pageStart, section } from '../../reports/page.js';
import { factTable, reportHead } from '../../reports/report-head.js';
import type { SweepMetrics } from './contracts.js';
import { SWEEP_FACTS } from './facts.js';

const TABLES = { cells: 'Cells', scores: 'Scores by setting', differences: 'Differences' };

/** Renders `report.html` of a sweep: its tables, and where its cells are. */
export async function* sweepReport(metrics: SweepMetrics): AsyncGenerator<string> {
  yield await pageStart(`${metrics.experiment}: a sweep`);
  const tables = Object.entries(TABLES).flatMap(([id, title]) => {
    const table = factTable(metrics, SWEEP_FACTS, id);
    return table === null ? [] : [{ id, title, table }];
  });
  yield reportHead(metrics, {
    facts: SWEEP_FACTS,
    kind: 'sweep',
    sections: {
      ...Object.fromEntries(tables.map(({ id, title }) => [id, title])),
      folders: 'Folders',
      errors: 'Errors',
    },
    changes: [],
    what: 'cells',
  }).text;
  for (const { id, title, table } of tables) yield section(id, title, table).text;
  const folders = metrics.cells.map(
    ({ name, status, artifacts }) =>
      html`<li>${name}: ${status}${artifacts !== null && html`, ${artifacts}`}</li>\n`,
  );
  yield section('folders', 'Folders', html`<ul>\n${folders}</ul>`).text;
  yield errorSection(metrics, 'cell').text;
  yield pageEnd();
}
