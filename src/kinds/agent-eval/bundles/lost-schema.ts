import type { Database } from '../../../contracts/database.js';
import type { SqlError } from '../../../databases/sql-error.js';

function namesMissing(error: unknown): error is SqlError {
  return (
    error instanceof Error && error.name === 'SqlError' && /^no such (?:table|column)/.test(error.message)
  );
}

/**
 * Reports whether a statement failed because the agent dropped or renamed what it reads, which the seed has. One that
 * names what was never there is a fault of the bundle.
 */
export async function isOfLostSchema(error: unknown, openSeed: () => Promise<Database>): Promise<boolean> {
  if (!namesMissing(error) || error.sql === null) return false;
  const seed = await openSeed();
  return seed.fetchAll(`EXPLAIN ${error.sql}`).then(
    () => true,
    (again: unknown) => !namesMissing(again),
  );
}
