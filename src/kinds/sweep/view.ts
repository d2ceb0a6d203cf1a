import type { KindView } from '../kind.js';
import type { CellRow, SweepMetrics } from './contracts.js';
import { repeatFolder } from './paths.js';
import { sweepReport } from './report.js';

/** Each cell of a sweep is an experiment of its own. */
export const sweepView: KindView<SweepMetrics, CellRow> = {
  unit: 'cell',
  outcomeOf: ({ name, repeat, settings, figures, message, wall_seconds }) => ({
    id: name,
    trial: repeat,
    question: null,
    target: null,
    metadata: settings,
    answer: message,
    scores: Object.fromEntries(
      figures.flatMap(({ label, value }) => (value === null ? [] : [[label, value]])),
    ),
    seconds: wall_seconds,
  }),
  experimentOf: ({ id, trial }) => `${repeatFolder(trial)}/${id}`,
  report: sweepReport,
};
