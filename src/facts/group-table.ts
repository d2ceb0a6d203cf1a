import { type Fact, type LineValue, tableFacts } from './fact.js';
import { type Estimate, estimateCells, UNCERTAINTY_HEADS } from './uncertainty.js';

/** Groups of a field that are listed in a terminal; all are in `metrics.json` and in the report. */
export const SHOWN_GROUPS = 20;

/** Figure of a group: how many units it has, how many of them could not be judged, and the estimate of the others. */
export interface GroupRow {
  name: string;
  units: number;
  errors: number;
  estimate: Estimate;
}

/**
 * Returns a table of a figure by the values of a field; none without groups. Errors have a column where there are some.
 * @param heads names of the field, of the units, and of the figure
 */
export function groupTable(
  { id, label, heads: [field, units, figure], notes = [] }: GroupTableNames,
  groups: readonly GroupRow[],
): Fact[] {
  const hasErrors = groups.some(({ errors }) => errors > 0);
  const counts = (group: GroupRow) => [group.units, ...(hasErrors ? [group.errors] : [])];
  const rows = groups.map((group): LineValue[] => [
    { kind: 'text', text: group.name },
    ...counts(group).map((count): LineValue => ({ kind: 'count', count })),
    ...estimateCells(group.estimate),
  ]);
  const head = [field, units, ...(hasErrors ? ['errors'] : []), figure, ...UNCERTAINTY_HEADS];
  return tableFacts(id, { head, rows, notes }, { label });
}

interface GroupTableNames {
  id: string;
  label: string;
  heads: readonly [field: string, units: string, figure: string];
  notes?: readonly string[];
}
