import type { SymbolicComparer } from '../grading/grade.js';
import { CodePool } from './code-pool.js';

/** Environment in which users' code runs; each kind of experiment defines that code. */
export interface CodeRunner {
  /** Pool of threads with time limits; null: code runs in the calling thread, which endless code blocks. */
  pool: CodePool | null;
  /** Comparer of expressions for the code. */
  compare: SymbolicComparer;
}

/** Returns a runner for the calling thread. */
export function localCode(compare: SymbolicComparer = async () => undefined): CodeRunner {
  return { pool: null, compare };
}

let ofCommand: CodeRunner | undefined;

/** Returns the runner of a command's checks; it compares no expressions. */
export function commandCode(): CodeRunner {
  ofCommand ??= { pool: new CodePool(), compare: async () => undefined };
  return ofCommand;
}
