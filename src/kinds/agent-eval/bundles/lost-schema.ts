import type { Database } from '../../../contracts/database.js';

const MISSING = /no such (?:table|column|view): ["`[]?([^\s"`\]]+)/;

/** Tables and views, and the columns of tables as `table.column`. */
const NAMES = `SELECT lower(name) AS name FROM sqlite_schema WHERE type IN ('table', 'view')
  UNION ALL
  SELECT lower(s.name || '.' || c.name) FROM sqlite_schema AS s, pragma_table_info(s.name) AS c WHERE s.type = 'table'`;

async function namesIn(db: Database): Promise<string[]> {
  return (await db.fetchAll<{ name: string }>(NAMES)).map(({ name }) => name);
}

/**
 * Reports whether a statement failed because the agent dropped or renamed what it reads, which the seed has. One that
 * names what was never there is a fault of the bundle.
 */
export async function isOfLostSchema(error: unknown, seed: Database, db: Database): Promise<boolean> {
  if (!(error instanceof Error) || error.name !== 'SqlError') return false;
  const missing = MISSING.exec(error.message)?.[1]?.split('.').at(-1)?.toLowerCase();
  if (missing === undefined) return false;
  const left = new Set(await namesIn(db));
  return (await namesIn(seed)).some((name) => !left.has(name) && name.split('.').at(-1) === missing);
}
