import { createHash, type Hash } from 'node:crypto';
import type { SqlCell } from './statement.js';

type Query = (sql: string) => SqlCell[][];

/**
 * Returns the SHA-256 of a database's content: every object of the schema by kind and name, and every table's rows,
 * sorted by their values. It does not depend on the page layout, the order of insertions, or row ids that no column
 * shows. Internal tables of full-text indexes are left out, because the indexed table holds the same data.
 */
export function contentHash(query: Query): string {
  const hash = createHash('sha256');
  const kinds = new Map(
    query("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").map(([name, type]) => [
      name,
      type,
    ]),
  );
  const objects = query('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL').filter(
    ([, name]) => kinds.get(name as SqlCell) !== 'shadow',
  );
  for (const row of sorted(objects)) hash.update(row);
  for (const name of [...kinds.keys()].map(String).sort()) {
    const kind = kinds.get(name);
    if (kind === 'view' || kind === 'shadow' || name === 'sqlite_schema') continue;
    update(hash, name, query(`SELECT * FROM main."${name.replaceAll('"', '""')}"`));
  }
  return hash.digest('hex');
}

function update(hash: Hash, table: string, rows: SqlCell[][]): void {
  hash.update(encode([table, BigInt(rows.length)]));
  for (const row of sorted(rows)) hash.update(row);
}

function sorted(rows: SqlCell[][]): Buffer[] {
  return rows.map(encode).sort(Buffer.compare);
}

/** Bytes before a value: its type, and its length. */
const HEAD = 5;

/** Encodes a row as bytes. Each value begins with its type and length, so that different rows have different bytes. */
function encode(cells: readonly SqlCell[]): Buffer {
  const encoded = cells.map(encodeCell);
  const row = Buffer.allocUnsafe(encoded.reduce((sum, [, bytes]) => sum + HEAD + bytes.length, 0));
  let at = 0;
  for (const [kind, bytes] of encoded) {
    row.write(kind, at, 'latin1');
    row.writeUInt32LE(bytes.length, at + 1);
    bytes.copy(row, at + HEAD);
    at += HEAD + bytes.length;
  }
  return row;
}

function encodeCell(cell: SqlCell): [kind: string, bytes: Buffer] {
  if (cell === null) return ['n', Buffer.alloc(0)];
  if (cell instanceof Uint8Array) return ['b', Buffer.from(cell)];
  if (typeof cell === 'bigint') return ['i', Buffer.from(cell.toString())];
  if (typeof cell === 'string') return ['t', Buffer.from(cell)];
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(cell);
  return ['r', bytes];
}
