import type { KindView } from '../kind.js';
import type { CellRow, SweepMetrics } from './contracts.js';
import { sweepReport } from './report.js';

/** A sweep has no rows: each of its cells is an experiment of its own. */
export const sweepView: KindView<SweepMetrics, CellRow> = {
  unit: 'cell',
  outcomeOf: ({ name, repeat }) => ({
    id: name,
    trial: repeat,
    question: null,
    target: null,
    metadata: {},
    answer: null,
    scores: {},
    seconds: null,
  }),
  report: sweepReport,
};
