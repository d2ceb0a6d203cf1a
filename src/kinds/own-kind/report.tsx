import { errorSection, type Report } from '../../reports/report.js';
import type { OwnKindMetrics } from './contracts.js';
import { OWN_KIND_FACTS } from './facts.js';

/** Returns the page of an experiment of a user's own kind: its figures and errors. */
export function ownKindReport(metrics: OwnKindMetrics): Report {
  return {
    metrics,
    facts: OWN_KIND_FACTS,
    kind: metrics.kind_name,
    changes: metrics.code_changes,
    what: 'samples',
    sections: [errorSection(metrics, 'sample')],
  };
}
