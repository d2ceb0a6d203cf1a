import { errorSection, type Report } from '../../reports/report.js';
import type { JudgeMetrics } from './contracts.js';
import { JUDGE_FACTS } from './facts.js';

/** Returns the page of a judgement: its figures and errors. */
export function judgeReport(metrics: JudgeMetrics): Report {
  return {
    metrics,
    facts: JUDGE_FACTS,
    kind: 'Judgement',
    changes: [],
    what: 'steps',
    sections: [errorSection(metrics, 'step')],
  };
}
