import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const WRITES =
  /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+["'`[]?(\w+)/gi;

/**
 * Finds the tables that the sources in the folder of a toolset's module name as written. Sources may compose statements
 * from parts, so this is for warnings only.
 */
export async function tablesNamedAsWritten(toolsFile: string): Promise<Set<string>> {
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
