import type { CAPI } from '@sqlite.org/sqlite-wasm';

/** Tables that statements have read and written since a database was opened, without SQLite's own tables. */
export interface TouchedTables {
  read: Set<string>;
  written: Set<string>;
}

const ONE_DATABASE = 'a bundle has one database, and its SQL reads and writes no files';
/** Pragmas that only return information, and those that dumps and seeds begin with. */
const ALLOWED_PRAGMAS = new Set([
  'application_id',
  'collation_list',
  'compile_options',
  'data_version',
  'defer_foreign_keys',
  'encoding',
  'foreign_key_check',
  'foreign_key_list',
  'foreign_keys',
  'function_list',
  'index_info',
  'index_list',
  'index_xinfo',
  'integrity_check',
  'page_count',
  'quick_check',
  'recursive_triggers',
  'table_info',
  'table_list',
  'table_xinfo',
  'user_version',
]);
/** Pragmas of file storage and speed, which do not matter for a database in memory; they are skipped. */
const TUNING_PRAGMAS = new Set([
  'analysis_limit',
  'auto_vacuum',
  'automatic_index',
  'busy_timeout',
  'cache_size',
  'cache_spill',
  'checkpoint_fullfsync',
  'fullfsync',
  'incremental_vacuum',
  'journal_mode',
  'journal_size_limit',
  'locking_mode',
  'mmap_size',
  'optimize',
  'page_size',
  'secure_delete',
  'shrink_memory',
  'synchronous',
  'temp_store',
  'threads',
  'wal_autocheckpoint',
  'wal_checkpoint',
]);
/** Modules of virtual tables that hold only their own data. */
const ALLOWED_MODULES = new Set(['fts5', 'rtree', 'geopoly']);
/** Functions of SQLite builds and shells that access files, extensions or programs of the host. */
const REFUSED_FUNCTIONS = new Set([
  'edit',
  'fts3_tokenizer',
  'load_extension',
  'lsdir',
  'readfile',
  'writefile',
]);

const UNKNOWN_FUNCTION = /^no such function: (\w+)$/i;

/** Returns the refusal of a forbidden function that this build of SQLite lacks; null for any other message. */
export function refusalOfFunction(message: string): string | null {
  const name = UNKNOWN_FUNCTION.exec(message)?.[1] ?? '';
  return REFUSED_FUNCTIONS.has(name.toLowerCase()) ? functionRefusal(name) : null;
}

function functionRefusal(name: string): string {
  return `${name}() is refused: ${ONE_DATABASE}`;
}

type Refuse = (reason: string) => number;

/** Listener of an authorizer's decisions about the statement that is compiled. */
export interface DecisionListener {
  refused(reason: string): void;
  /** Records a pragma that is skipped. */
  skipped(pragma: string): void;
}

/** Returns the refusal of a directly written schema with a forbidden kind of virtual table; null if it has none. */
export function refusalOfSchema(statements: readonly string[]): string | null {
  for (const statement of statements) {
    const module = /^CREATE VIRTUAL TABLE\b[^(]*\bUSING\s+["'`[]?(\w+)/i.exec(statement)?.[1];
    if (module !== undefined && !ALLOWED_MODULES.has(module.toLowerCase())) return moduleRefusal(module);
  }
  return null;
}

function moduleRefusal(module: string): string {
  return `a virtual table of ${module} is refused; allowed: ${[...ALLOWED_MODULES].join(', ')}`;
}

/**
 * Creates an authorizer. It decides on every action of every statement while SQLite compiles it, so that no spelling
 * can circumvent it. See https://www.sqlite.org/c3ref/c_alter_table.html for the actions and their arguments.
 */
export function authorizer(
  capi: CAPI,
  touched: TouchedTables,
  notes: DecisionListener,
  { writesSchema }: { writesSchema: boolean },
) {
  const refuse: Refuse = (reason) => {
    notes.refused(reason);
    return capi.SQLITE_DENY;
  };
  const own = (table: string) => !table.toLowerCase().startsWith('sqlite_');
  return (_context: number, action: number, first: string | 0, second: string | 0): number => {
    const [name, detail] = [first || '', second || ''];
    switch (action) {
      case capi.SQLITE_ATTACH:
      case capi.SQLITE_DETACH:
        return refuse(`ATTACH, DETACH and VACUUM are refused: ${ONE_DATABASE}`);
      case capi.SQLITE_PRAGMA:
        if (ALLOWED_PRAGMAS.has(name.toLowerCase())) return capi.SQLITE_OK;
        if (writesSchema && name.toLowerCase() === 'writable_schema') return capi.SQLITE_OK;
        if (TUNING_PRAGMAS.has(name.toLowerCase())) {
          notes.skipped(name.toLowerCase());
          return capi.SQLITE_IGNORE;
        }
        return refuse(`PRAGMA ${name} is refused: leave it out; allowed: ${[...ALLOWED_PRAGMAS].join(', ')}`);
      case capi.SQLITE_FUNCTION:
        return REFUSED_FUNCTIONS.has(detail.toLowerCase()) ? refuse(functionRefusal(detail)) : capi.SQLITE_OK;
      case capi.SQLITE_CREATE_VTABLE:
        if (ALLOWED_MODULES.has(detail.toLowerCase())) return capi.SQLITE_OK;
        return refuse(moduleRefusal(detail));
      case capi.SQLITE_READ:
        if (own(name)) touched.read.add(name.toLowerCase());
        return capi.SQLITE_OK;
      case capi.SQLITE_INSERT:
      case capi.SQLITE_UPDATE:
      case capi.SQLITE_DELETE:
        if (own(name)) touched.written.add(name.toLowerCase());
        return capi.SQLITE_OK;
      default:
        return capi.SQLITE_OK;
    }
  };
}
