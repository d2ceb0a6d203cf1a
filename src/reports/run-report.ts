import type { Metrics, TaskRow } from '../contracts/results.js';
import { pageEnd, pageStart, section } from './page.js';
import { runHead } from './run-head.js';
import { confusionMatrices, errorTypes, successByTrial, taskTable } from './run-tables.js';
import { sampleTable } from './sample-table.js';

/**
 * `report.html` of a run, piece by piece: figures, what the agent was shown, success by trial, confusion, errors, and
 * the first samples with what became of them. The page stands alone: it loads nothing and needs no script.
 * @param rows those of `results.jsonl`, sample by sample, the trials in order. They are read no further than shown.
 */
export async function* runReport(
  metrics: Metrics,
  rows: AsyncIterable<TaskRow> | Iterable<TaskRow>,
): AsyncGenerator<string> {
  yield await pageStart(`${metrics.experiment}: run report`);
  yield runHead(metrics).text;
  yield section('trials', 'Success by trial', successByTrial(metrics)).text;
  yield section('tasks', 'Environments', taskTable(metrics)).text;
  const confusion = confusionMatrices(metrics);
  if (confusion !== null) yield section('confusion', 'Confusion', confusion).text;
  yield section('errors', 'Errors', errorTypes(metrics)).text;
  yield '<section id="samples" aria-labelledby="samples-title">\n<h2 id="samples-title">Samples</h2>\n';
  yield* sampleTable(rows, metrics);
  yield '</section>\n';
  yield pageEnd();
}
