import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { InfrastructureError } from '../contracts/infrastructure-error.js';

/** The library with functions that its types leave out; it is the last one for Node that allows Node 20. */
type Sqlite = Sqlite3Static & {
  capi: {
    sqlite3_get_autocommit(database: number): number;
    sqlite3_bind_parameter_name(statement: number, index: number): string | null;
  };
};

/** Clock and randomness of a statement, in place of the machine's. */
interface Surroundings {
  /** Milliseconds since 1970, for `date('now')` and CURRENT_TIMESTAMP. */
  now: number;
  /** Bytes that seed `random()` and `randomblob()`. */
  seed: Uint8Array;
}

/** SQLite, compiled to WebAssembly: it has its own memory and reaches no file, socket or clock of the host. */
export interface Engine {
  sqlite: Sqlite;
  /** Runs synchronous work on databases of this engine with the given clock and randomness. */
  within<Result>(surroundings: Surroundings, work: () => Result): Result;
}

/** Milliseconds from SQLite's epoch, noon of 24 November 4714 B.C., to 1970. */
const JULIAN_EPOCH_MS = 210_866_760_000_000n;

/** Memory limit of all open databases together. The engine's memory grows as needed and never shrinks. */
const HEAP_BYTES = 512 * 1024 * 1024;

/** Imports of the engine's module that are replaced. */
interface EngineImports {
  env: { memory: WebAssembly.Memory; _localtime_js: (seconds: bigint, at: number) => void };
}

/**
 * Returns the options that make `localtime` in SQL UTC, as all other dates of a row are: the package gives it the
 * machine's time zone, which may be another one where the call is done again.
 */
async function inUtc(): Promise<object> {
  const file = createRequire(import.meta.url).resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm');
  const module = await WebAssembly.compile(await readFile(file));
  return {
    instantiateWasm(imports: EngineImports, receive: (instance: WebAssembly.Instance) => object) {
      const { env } = imports;
      env._localtime_js = (seconds, at) => {
        const date = new Date(Number(seconds) * 1000);
        const [second, minute, hour] = [date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours()];
        const [day, month, year] = [date.getUTCDate(), date.getUTCMonth(), date.getUTCFullYear() - 1900];
        new Int32Array(env.memory.buffer, at, 6).set([second, minute, hour, day, month, year]);
      };
      return receive(new WebAssembly.Instance(module, imports as unknown as WebAssembly.Imports));
    },
  };
}

async function start(): Promise<Engine> {
  const { default: initialise } = await import('@sqlite.org/sqlite-wasm');
  const sqlite = (await initialise(await inUtc())) as Sqlite;
  const { capi, wasm } = sqlite;
  const any = new sqlite.oo1.DB(':memory:');
  any.exec(`PRAGMA hard_heap_limit = ${HEAP_BYTES}`);
  any.close();
  let current: Surroundings = { now: 0, seed: new Uint8Array(1) };

  // SQLite gets the time and, once after each reset, a random seed from its virtual file system.
  const system = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null)) as unknown as Record<string, number>;
  system.$xCurrentTimeInt64 = wasm.installFunction('i(pp)', (_vfs: number, out: number) => {
    wasm.poke64(out, BigInt(current.now) + JULIAN_EPOCH_MS);
    return capi.SQLITE_OK;
  });
  system.$xRandomness = wasm.installFunction('i(pip)', (_vfs: number, bytes: number, out: number) => {
    const memory = wasm.heap8u();
    for (let index = 0; index < bytes; index += 1) {
      memory[out + index] = current.seed[index % current.seed.length] as number;
    }
    return bytes;
  });

  return {
    sqlite,
    within(surroundings, work) {
      current = surroundings;
      capi.sqlite3_randomness(0, 0);
      try {
        return work();
      } catch (error) {
        if (error instanceof sqlite.WasmAllocError) {
          throw new InfrastructureError('SQLite has no memory left', { cause: error });
        }
        if ((error as Error).name !== 'RuntimeError') throw error;
        // The engine itself crashed, so its memory is no longer reliable.
        started = undefined;
        throw new InfrastructureError(`SQLite's engine broke down: ${(error as Error).message}`, {
          cause: error,
        });
      }
    },
  };
}

let started: Promise<Engine> | undefined;

/** Returns the process's engine, started on first use (40 ms) and again after a crash. */
export function engine(): Promise<Engine> {
  started ??= start().catch((error: Error) => {
    started = undefined;
    throw new InfrastructureError(`SQLite's engine does not start: ${error.message}`, { cause: error });
  });
  return started;
}
