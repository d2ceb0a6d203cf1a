import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { Engine } from './engine.js';
import { SqlError } from './sql-error.js';

export const POINTER_BYTES = 4;

/**
 * Opens a database in the engine's memory and returns its handle.
 * @param bytes content of a database file; null or nothing for an empty database
 */
export function openBytes({ sqlite }: Engine, bytes: Uint8Array | null): number {
  const { capi, wasm } = sqlite;
  const scope = wasm.scopedAllocPush();
  try {
    const out = wasm.scopedAlloc(POINTER_BYTES);
    const flags = capi.SQLITE_OPEN_READWRITE | capi.SQLITE_OPEN_CREATE;
    const code = capi.sqlite3_open_v2(':memory:', out, flags, 0);
    const handle = Number(wasm.peekPtr(out));
    if (code !== capi.SQLITE_OK) throw new InfrastructureError(`SQLite cannot open a database: code ${code}`);
    try {
      if (bytes !== null && bytes.byteLength > 0) fill(sqlite, handle, bytes);
    } catch (error) {
      capi.sqlite3_close_v2(handle);
      throw error;
    }
    return handle;
  } finally {
    wasm.scopedAllocPop(scope);
  }
}

function fill({ capi, wasm }: Engine['sqlite'], handle: number, bytes: Uint8Array): void {
  const size = bytes.byteLength;
  // From here on SQLite owns the copy, even if it rejects it.
  const copy = wasm.alloc(size);
  wasm.heap8u().set(bytes, copy);
  const owned = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
  if (capi.sqlite3_deserialize(handle, 'main', copy, size, size, owned) === capi.SQLITE_OK) return;
  throw new SqlError('the bytes are no SQLite database', 'SQLITE_NOTADB');
}
