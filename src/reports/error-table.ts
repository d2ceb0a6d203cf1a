import { errorLines } from '../statistics/error-lines.js';
import { count } from './figures.js';
import { type Html, html } from './html.js';
import { numberCell, table } from './table.js';

/** A row for each type of error, with what was said first. @param what is counted: `samples`, for one */
export function errorTable(
  { counts, messages }: { counts: Record<string, number>; messages: Record<string, string> },
  what: string,
): Html {
  const rows = errorLines(counts, messages).map(
    (line) =>
      html`<tr><th scope="row"><code>${line.type}</code></th>${numberCell(count(line.count))}<td>${line.message}</td></tr>\n`,
  );
  return table(
    { label: 'Table of error types', heads: ['error', what, html`<th scope="col">first message</th>`] },
    rows,
  );
}
