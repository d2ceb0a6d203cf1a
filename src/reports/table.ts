import { type Content, type Html, html } from './html.js';

/** A frame that scrolls where the page is too narrow. It has keyboard focus and a label for screen readers. */
export interface ScrollFrame {
  label: string;
  /** True to scroll vertically as well, in a border. */
  isFramed?: boolean;
  /** Additional class of the page's style. */
  kind?: string;
}

/** Renders the beginning of a frame that scrolls; `</div>` ends it. */
export function scrollStart({ label, isFramed = false, kind }: ScrollFrame): Html {
  const classes = ['scroll', ...(isFramed ? ['framed'] : []), ...(kind === undefined ? [] : [kind])];
  return html`<div class="${classes.join(' ')}" role="group" aria-label="${label}" tabindex="0">`;
}

export interface TableFrame extends ScrollFrame {
  /** Names of the columns, or their cells where those contain more than names. */
  heads: readonly Content[];
  caption?: Html;
  /** True if a click on a head with `data-sort` sorts the rows. */
  isSortable?: boolean;
  tableKind?: string;
}

/** Renders a table up to its first row. {@link TABLE_END} ends it. */
export function tableStart({ heads, caption, isSortable, tableKind, ...frame }: TableFrame): Html {
  const attributes = html`${tableKind !== undefined && html` class="${tableKind}"`}${isSortable && html` data-sortable`}`;
  return html`${scrollStart(frame)}<table${attributes}>
${caption !== undefined && html`<caption>${caption}</caption>\n`}<thead><tr>${heads.map(headCell)}</tr></thead>
<tbody>
`;
}

export const TABLE_END = html`</tbody>\n</table></div>\n`;

/** Renders a whole table in a frame that scrolls. */
export function table(frame: TableFrame, rows: Content): Html {
  return html`${tableStart(frame)}${rows}${TABLE_END}`;
}

/** Renders a cell whose content is aligned with the numbers above it. */
export function numberCell(content: Content): Html {
  return html`<td class="number">${content}</td>`;
}

const headCell = (head: Content) => (typeof head === 'string' ? html`<th scope="col">${head}</th>` : head);
