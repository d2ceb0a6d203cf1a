import type { ExperimentMetrics } from '../contracts/results.js';
import { errorLines } from '../statistics/error-lines.js';
import { count } from './figures.js';
import { type Html, html } from './html.js';
import { section } from './page.js';
import { numberCell, table } from './table.js';

/** Renders each cause of errors with its first message. @param noun the counted unit, such as `sample` */
export function errorSection(
  { errors_by_type, error_causes }: ExperimentMetrics,
  noun: string,
  note?: string,
): Html {
  const rows = errorLines(errors_by_type, error_causes).map(
    (line) =>
      html`<tr><th scope="row"><code>${line.type}</code></th>${numberCell(count(line.count))}<td>${line.message}</td></tr>\n`,
  );
  const heads = ['error', `${noun}s`, html`<th scope="col">first message</th>`];
  const content =
    rows.length === 0
      ? html`<p>No ${noun} ended in an error.</p>\n`
      : html`${table({ label: 'Table of errors by cause', heads }, rows)}${note !== undefined && html`<p class="note">${note}</p>\n`}`;
  return section('errors', 'Errors', content);
}
