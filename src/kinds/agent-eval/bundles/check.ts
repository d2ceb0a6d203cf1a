import { relative } from 'node:path';
import { checkRow, type RowCheck } from './check-row.js';
import type { BundleFault } from './faults.js';
import type { Bundle } from './load.js';
import type { LoadedRow } from './row-loader.js';
import { tablesNamedAsWritten } from './written-tables.js';

/** What a check found: an error makes the row's figure worthless, a warning is to be looked at. */
export interface Finding extends BundleFault {
  severity: 'error' | 'warning';
}

export interface CheckReport {
  file: string;
  rows: number;
  /** Rows that carry oracle actions. */
  with_oracle: number;
  /** Rows whose oracle reaches the goal and the full reward. */
  proven_solvable: number;
  /** Rows that call for it, by the name of their registry. */
  tools: Record<string, string[]>;
  findings: Finding[];
}

/** Tries every row of a bundle without a model: its seed, goal, reward and oracle. */
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

/** The tables that the tools of a module write, as far as it was seen. */
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
