import { relative } from 'node:path';
import { checkRow, type RowCheck } from './check-row.js';
import type { BundleFault } from './faults.js';
import type { Bundle } from './load.js';
import type { LoadedRow } from './row-loader.js';
import { tablesNamedAsWritten } from './written-tables.js';

/** Finding of a check: an error makes the row's figures worthless, a warning should be looked at. */
export interface Finding extends BundleFault {
  severity: 'error' | 'warning';
}

export interface CheckReport {
  file: string;
  rows: number;
  /** Number of rows with oracle actions. */
  with_oracle: number;
  /** Number of rows whose oracle reaches the goal and the full reward. */
  proven_solvable: number;
  /** Names of the tools, by the name of their registry. */
  tools: Record<string, string[]>;
  findings: Finding[];
}

/** Checks the rows of a bundle without a model: their seeds, goals, rewards and oracles. */
export async function checkBundle(bundle: Bundle, only: readonly string[] = []): Promise<CheckReport> {
  const rows = bundle.rows.filter(({ row }) => only.length === 0 || only.includes(row.id));
  const findings: Finding[] = [];
  const checks: RowCheck[] = [];
  for (const loaded of rows) checks.push(await checkRow(loaded, bundle));
  const written = await writtenByToolset(rows, checks);
  for (const [index, loaded] of rows.entries()) {
    const { goalReads, notes } = checks[index] as RowCheck;
    const unwritten = goalReads === null ? null : unwrittenGoal(goalReads, written.get(loaded.toolsFile));
    if (unwritten !== null) notes.push({ severity: 'warning', field: 'end_goal_sql', message: unwritten });
    const place = { file: bundle.file, line: loaded.line, row: loaded.row.id };
    findings.push(...notes.map((note) => ({ ...place, ...note })));
  }
  const toolsets = new Map(
    rows.map(({ registry }) => [registry.name, registry.tools.map(({ name }) => name)]),
  );
  return {
    file: relative(process.cwd(), bundle.file) || bundle.file,
    rows: rows.length,
    with_oracle: rows.filter(({ row }) => row.oracle !== null).length,
    proven_solvable: checks.filter(({ proven }) => proven).length,
    tools: Object.fromEntries(toolsets),
    findings,
  };
}

/** Collects the tables that the tools of each module are known to write. */
async function writtenByToolset(
  rows: readonly LoadedRow[],
  checks: readonly RowCheck[],
): Promise<Map<string, Set<string>>> {
  const written = new Map<string, Set<string>>();
  for (const [index, { toolsFile }] of rows.entries()) {
    const tables = written.get(toolsFile) ?? (await tablesNamedAsWritten(toolsFile));
    for (const table of checks[index]?.written ?? []) tables.add(table);
    written.set(toolsFile, tables);
  }
  return written;
}

function unwrittenGoal(reads: ReadonlySet<string>, written: ReadonlySet<string> | undefined): string | null {
  if (reads.size === 0) return 'reads no table, so nothing that an agent does can change it';
  if ([...reads].some((table) => written?.has(table))) return null;
  return `reads ${[...reads].sort().join(', ')}, which no tool was seen to write`;
}
