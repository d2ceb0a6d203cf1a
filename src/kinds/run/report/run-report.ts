import type { TaskRow } from '../../../contracts/results.js';
import { errorSection } from '../../../reports/error-table.js';
import { pageEnd, pageStart, section } from '../../../reports/page.js';
import { factTable, reportHead, tablesOf } from '../../../reports/report-head.js';
import { RUN_FACTS } from '../facts.js';
import { groupFacts } from '../group-facts.js';
import type { Metrics } from '../results.js';
import { confusionMatrices, successByTrial, taskTable } from './run-tables.js';
import { sampleTable } from './sample-table.js';

/**
 * Yields `report.html` of a run, piece by piece: figures, what the agent was shown, success by trial, groups, confusion,
 * errors, and the first samples with their outcomes. The page is self-contained and needs no script.
 * @param rows of `results.jsonl`, sample by sample, the trials in order; read no further than shown.
 */
export async function* runReport(
  metrics: Metrics,
  rows: AsyncIterable<TaskRow> | Iterable<TaskRow>,
): AsyncGenerator<string> {
  const confusion = confusionMatrices(metrics);
  const groups = tablesOf(groupFacts(metrics, Number.POSITIVE_INFINITY));
  const epochs = factTable(metrics, RUN_FACTS, 'reducers');
  const agreement = factTable(metrics, RUN_FACTS, 'agreement');
  const purposes = factTable(metrics, RUN_FACTS, 'calls_by_purpose');
  yield await pageStart(`${metrics.experiment}: run report`);
  yield reportHead(metrics, {
    facts: RUN_FACTS,
    kind: 'Run report',
    sections: {
      trials: 'Trials',
      ...(epochs === null ? {} : { epochs: 'Epochs' }),
      tasks: 'Environments',
      ...(groups === null ? {} : { groups: 'Groups' }),
      ...(agreement === null ? {} : { agreement: 'Agreement' }),
      ...(purposes === null ? {} : { purposes: 'Calls' }),
      ...(confusion === null ? {} : { confusion: 'Confusion' }),
      errors: 'Errors',
      samples: 'Samples',
    },
    changes: metrics.code_changes ?? [],
    what: 'episodes',
    statement: metrics.in_words.join(' '),
  }).text;
  yield section('trials', 'Success by trial', successByTrial(metrics)).text;
  if (epochs !== null) yield section('epochs', 'Over epochs', epochs).text;
  yield section('tasks', 'Environments', taskTable(metrics)).text;
  if (groups !== null) yield section('groups', 'Groups', groups).text;
  if (agreement !== null) yield section('agreement', 'Agreement with labels', agreement).text;
  if (purposes !== null) yield section('purposes', 'Calls by purpose', purposes).text;
  if (confusion !== null) yield section('confusion', 'Confusion', confusion).text;
  yield errorSection(metrics, 'sample', 'A sample counts where its last trial could not be judged.').text;
  yield '<section id="samples" aria-labelledby="samples-title">\n<h2 id="samples-title">Samples</h2>\n';
  yield* sampleTable(rows, metrics);
  yield '</section>\n';
  yield pageEnd();
}
