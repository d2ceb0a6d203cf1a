import { type Content, type Html, html } from './html.js';

/** What scrolls when the page is too narrow for it. The keyboard reaches it, and a screen reader says what it is. */
export interface ScrollFrame {
  label: string;
  /** Scrolls downwards too, within a border. */
  isFramed?: boolean;
  /** A further class of the page's style. */
  kind?: string;
}

/** The beginning of a frame that scrolls; `</div>` ends it. */
export function scrollStart({ label, isFramed = false, kind }: ScrollFrame): Html {
  const classes = ['scroll', ...(isFramed ? ['framed'] : []), ...(kind === undefined ? [] : [kind])];
  return html`<div class="${classes.join(' ')}" role="group" aria-label="${label}" tabindex="0">`;
}

export interface TableFrame extends ScrollFrame {
  /** The names of the columns, or their cells where they are more than names. */
  heads: readonly Content[];
  caption?: Html;
  /** A click on a head sorts, where it has `data-sort`. */
  isSortable?: boolean;
  tableKind?: string;
}

/** A table up to its first row. {@link TABLE_END} ends it. */
export function tableStart({ heads, caption, isSortable, tableKind, ...frame }: TableFrame): Html {
  const attributes = html`${tableKind !== undefined && html` class="${tableKind}"`}${isSortable && html` data-sortable`}`;
  return html`${scrollStart(frame)}<table${attributes}>
${caption !== undefined && html`<caption>${caption}</caption>\n`}<thead><tr>${heads.map(headCell)}</tr></thead>
<tbody>
`;
}

export const TABLE_END = html`</tbody>\n</table></div>\n`;

/** A whole table in a frame that scrolls. */
export function table(frame: TableFrame, rows: Content): Html {
  return html`${tableStart(frame)}${rows}${TABLE_END}`;
}

/** A cell whose content lines up with the numbers above it. */
export function numberCell(content: Content): Html {
  return html`<td class="number">${content}</td>`;
}

const headCell = (head: Content) => (typeof head === 'string' ? html`<th scope="col">${head}</th>` : head);
