import { errorSection } from '../../reports/error-table.js';
import { pageEnd, pageStart } from '../../reports/page.js';
import { reportHead } from '../../reports/report-head.js';
import type { OwnKindMetrics } from './contracts.js';
import { OWN_KIND_FACTS } from './facts.js';

/** Renders `report.html` of an experiment of a user's own kind: its figures and errors. */
export async function* ownKindReport(metrics: OwnKindMetrics): AsyncGenerator<string> {
  yield await pageStart(`${metrics.experiment}: ${metrics.kind_name}`);
  yield reportHead(metrics, {
    facts: OWN_KIND_FACTS,
    kind: metrics.kind_name,
    sections: { errors: 'Errors' },
    changes: metrics.code_changes,
    what: 'samples',
  }).text;
  yield errorSection(metrics, 'sample').text;
  yield pageEnd();
}
