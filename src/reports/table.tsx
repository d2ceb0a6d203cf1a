import type { ComponentChildren } from 'preact';

/** A frame that scrolls where the page is too narrow. It has keyboard focus and a label for screen readers. */
export function Scroll({
  label,
  isFramed = false,
  kind,
  children,
}: {
  label: string;
  /** True to scroll vertically as well, in a border. */
  isFramed?: boolean;
  /** Additional class of the page's style. */
  kind?: string;
  children: ComponentChildren;
}) {
  const classes = ['scroll', isFramed && 'framed', kind].filter(Boolean).join(' ');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form.
    <div class={classes} role="group" aria-label={label} tabindex={0}>
      {children}
    </div>
  );
}

/** Column of a table. */
export interface Column {
  head: ComponentChildren;
  /** Order of the first click on its head; absent: it does not sort. Cells then have a `data-key`. */
  sort?: 'ascending' | 'descending';
}

/** Table in a frame that scrolls. A column is its head where that is a text. */
export function Table({
  columns,
  caption,
  tableKind,
  children,
  ...frame
}: {
  label: string;
  columns: readonly (Column | string)[];
  isFramed?: boolean;
  caption?: ComponentChildren;
  tableKind?: string;
  children: ComponentChildren;
}) {
  const all = columns.map((column): Column => (typeof column === 'string' ? { head: column } : column));
  return (
    <Scroll {...frame}>
      <table class={tableKind} data-sortable={all.some(({ sort }) => sort !== undefined) ? '' : undefined}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {all.map(({ head, sort }) => (
              <th scope="col" data-sort={sort}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  );
}

/** Cell whose content is aligned with the numbers above it. @param sortKey what its column is sorted by */
export function NumberCell({
  sortKey,
  children,
}: {
  sortKey?: number | string;
  children?: ComponentChildren;
}) {
  return (
    <td class="number" data-key={sortKey}>
      {children}
    </td>
  );
}
