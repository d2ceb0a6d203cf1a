import { UNCERTAINTY_HEADS } from '../../../facts/uncertainty.js';
import { count, NOTHING, percentage } from '../../../reports/figures.js';
import { type Html, html } from '../../../reports/html.js';
import { numberCell, table } from '../../../reports/table.js';
import type { Metrics } from '../results.js';
import { ofTrialText } from '../trial-figures.js';

/** Number of shades of a matrix cell; classes `m1` (few) to `m4` (all) of the page's style. */
const SHADES = 4;

/** Renders the standard error of a share, and the bounds of its interval. */
function uncertaintyCells(stderr: number | null, interval: [number, number] | null): Html[] {
  const bounds = interval === null ? NOTHING : html`${percentage(interval[0])} to ${percentage(interval[1])}`;
  return [percentage(stderr), bounds].map(numberCell);
}

/** Renders one bar per trial. */
export function successByTrial(metrics: Metrics): Html {
  const { success_by_trial: shares, correct_by_trial: correct } = metrics;
  const rows = shares.map((share, trial) => {
    const width = share === null ? 0 : Math.round(share * 1000) / 10;
    const bar = html`<svg class="bar long" aria-hidden="true"><rect class="share" width="${width}%" height="100%"/></svg>`;
    const cells = [
      numberCell(percentage(share)),
      ...uncertaintyCells(
        metrics.success_by_trial_stderr[trial] ?? null,
        metrics.success_by_trial_interval[trial] ?? null,
      ),
      numberCell(count(correct[trial] ?? 0)),
    ];
    return html`<tr><th scope="row">${trial + 1}</th><td>${bar}</td>${cells}</tr>\n`;
  });
  const heads = ['trial', html`<td></td>`, 'success', ...UNCERTAINTY_HEADS, 'correct'];
  return html`${table({ label: 'Table of success by trial', heads }, rows)}<p class="note">The share of the judged samples whose newest trial up to this one succeeded.${metrics.accuracy_of === 'any_trial' && ' A sample is not tried again after a success, so that is the share that any trial so far got right.'}</p>
`;
}

export function taskTable({ by_task, accuracy_of }: Metrics): Html {
  const rows = Object.entries(by_task).map(([task, figures]) => {
    const { samples, correct, errors, accuracy, accuracy_stderr, accuracy_interval } = figures;
    const cells = [...[samples, correct, errors].map(count), percentage(accuracy)].map(numberCell);
    return html`<tr><th scope="row"><code>${task}</code></th>${cells}${uncertaintyCells(accuracy_stderr, accuracy_interval)}</tr>\n`;
  });
  const accuracy = `accuracy${ofTrialText(accuracy_of)}`;
  const heads = ['environment', 'samples', 'correct', 'errors', accuracy, ...UNCERTAINTY_HEADS];
  return table({ label: 'Table of environments', heads }, rows);
}

/** Renders target letter by answered letter, for each environment that has letters; null if none has. */
export function confusionMatrices({ by_task }: Metrics): Html | null {
  const matrices = Object.entries(by_task).flatMap(([task, { confusion }]) =>
    confusion === undefined ? [] : [matrix(task, confusion)],
  );
  if (matrices.length === 0) return null;
  return html`${matrices}<p class="note">The stronger a cell's colour, the larger its share of the row. Right answers are framed.</p>\n`;
}

function matrix(task: string, confusion: Record<string, Record<string, number>>): Html {
  const targets = Object.keys(confusion);
  const answers = [...new Set([...targets, ...Object.values(confusion).flatMap(Object.keys)])].sort(
    (left, right) => Number(left === 'none') - Number(right === 'none') || (left < right ? -1 : 1),
  );
  const rows = Object.entries(confusion).map(([target, counts]) => {
    const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
    const cells = answers.map((answer) => {
      const number = Object.hasOwn(counts, answer) ? (counts[answer] as number) : 0;
      const shade = number === 0 ? '' : `m${Math.ceil((number / all) * SHADES)}`;
      return html`<td class="number ${shade}${answer === target && ' right'}">${number}</td>`;
    });
    return html`<tr><th scope="row">${target}</th>${cells}</tr>\n`;
  });
  const caption = html`<code>${task}</code>: right letter down, answered letter across`;
  return table(
    { label: `Confusion in ${task}`, heads: ['right', ...answers], caption, tableKind: 'matrix' },
    rows,
  );
}
