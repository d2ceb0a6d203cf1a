import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import type { BundleRow, ToolOutcome } from './contracts.js';
import { failed } from './tool-outcome.js';
import type { ToolRegistry } from './tool-registry.js';

export interface ModelToolCall {
  name: string;
  /** JSON text as the model wrote it. */
  arguments: string;
}

export interface ToolCallPlace {
  row: Pick<BundleRow, 'now'>;
  /** Seed of random values; the same for every attempt at the call. */
  seed: string;
}

export interface ToolCallOptions {
  allowed?: readonly string[] | null;
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Result of running a tool call. */
export interface ToolRan {
  outcome: ToolOutcome;
  /** The database after the call; null if it is unchanged, as after every failed call. */
  bytes: Uint8Array | null;
}

export interface ToolCallResult extends ToolRan {
  /** Tables that the call's statements write. */
  written: ReadonlySet<string>;
}

/**
 * Runs a tool call on a copy of a database.
 * @throws InfrastructureError; the signal's reason if the call was aborted before it succeeded.
 */
export async function runToolCall(
  before: Uint8Array,
  { row, seed }: ToolCallPlace,
  call: ModelToolCall,
  registry: ToolRegistry,
  { signal, ...options }: ToolCallOptions = {},
): Promise<ToolCallResult> {
  signal?.throwIfAborted();
  const db = await SqliteDatabase.open(before, {
    now: Date.parse(row.now),
    seed,
    readOnly: registry.isReadOnly(call.name),
  });
  const { written } = db.touched;
  try {
    const outcome = await registry.call(call, { db, now: row.now, signal }, { ...options, row });
    // The error of an aborted tool is not an outcome of the call.
    if (!outcome.ok) signal?.throwIfAborted();
    if (!outcome.ok) return { outcome, bytes: null, written };
    const unsettled = db.unsettled();
    if (unsettled !== null) return { outcome: failed('tool_failed', unsettled), bytes: null, written };
    const after = db.serialize();
    return { outcome, bytes: Buffer.compare(before, after) === 0 ? null : after, written };
  } finally {
    db.close();
  }
}
