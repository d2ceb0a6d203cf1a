/** Pages of the viewer. */
type Page = 'experiments' | 'experiment' | 'unit' | 'compare' | 'file' | 'act';

type Parameters = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * Returns the address of a page, relative to the others: they are all in one folder, whose name is the token. Addresses
 * are made here only, and are never taken from data.
 */
export function href(page: Page, parameters: Parameters = {}, anchor?: string): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)])
      query.append(name, one);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  return `./${page === 'experiments' ? '' : page}${search}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Returns the address of a unit of an experiment. */
export function unitHref(id: string, unit: string, trial = 0, anchor?: string): string {
  return href('unit', { id, unit, trial }, anchor);
}
