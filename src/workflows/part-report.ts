import { isMapping } from '../contracts/json.js';
import type { ExperimentProgress, Spent } from '../contracts/progress.js';
import { signalTo } from './children.js';
import { defineSignal, workflowInfo } from './sdk.js';

/** Report of an experiment that is a part of another one. */
export interface PartReport {
  workflow_id: string;
  spending: Spent;
  /** Share of its units that have ended, from 0 to 1. */
  part: number;
}

export const partReportSignal = defineSignal<[PartReport]>('part');

export function isPartReport(value: unknown): value is PartReport {
  return (
    isMapping(value) &&
    typeof value.workflow_id === 'string' &&
    typeof value.part === 'number' &&
    isMapping(value.spending) &&
    typeof value.spending.lm_calls === 'number'
  );
}

/** Reports of a history that a part makes: at each tenth of its units. */
const REPORTS = 10;

/** Reports an experiment in progress to the one that it is a part of, if there is one. */
export class PartReports {
  private last = 0;

  report({ units: { ended, planned }, spending }: Pick<ExperimentProgress, 'units' | 'spending'>): void {
    const { parent, workflowId } = workflowInfo();
    const tenth = planned === 0 ? 0 : Math.floor((REPORTS * ended) / planned);
    if (parent === undefined || tenth <= this.last) return;
    this.last = tenth;
    signalTo(parent, partReportSignal, { workflow_id: workflowId, spending, part: ended / planned });
  }
}
