import type { ErrorCause } from '../contracts/results.js';
import { errorLines } from '../statistics/error-lines.js';
import { count } from './figures.js';
import { type Html, html } from './html.js';
import { numberCell, table } from './table.js';

/** A row for each cause of errors, with what was said first. @param what is counted: `samples`, for one */
export function errorTable(
  { counts, causes }: { counts: Record<string, number>; causes: readonly ErrorCause[] },
  what: string,
): Html {
  const rows = errorLines(counts, causes).map(
    (line) =>
      html`<tr><th scope="row"><code>${line.type}</code></th>${numberCell(count(line.count))}<td>${line.message}</td></tr>\n`,
  );
  return table(
    { label: 'Table of errors by cause', heads: ['error', what, html`<th scope="col">first message</th>`] },
    rows,
  );
}
