import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { checkRow, type RowCheck } from './check-row.js';
import type { Bundle, BundleFault } from './load.js';
import type { LoadedRow } from './row-loader.js';

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

const WRITES =
  /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+["'`[]?(\w+)/gi;

/**
 * Finds the tables that the sources in the folder of a toolset's module name as written. Sources may compose statements
 * from parts, so this is for warnings only.
 */
async function tablesNamedAsWritten(toolsFile: string): Promise<Set<string>> {
  const folder = dirname(toolsFile);
  const names = await readdir(folder, { recursive: true, encoding: 'utf8' });
  const sources = names.filter(
    (name) => /\.[cm]?[jt]s$/.test(name) && !/(^|[\\/])(node_modules|reward\.)/.test(name),
  );
  const tables = new Set<string>();
  for (const name of sources) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, table = ''] of text.matchAll(WRITES)) tables.add(table.toLowerCase());
  }
  return tables;
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
