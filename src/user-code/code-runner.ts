import type { SymbolicComparer } from '../grading/grade.js';
import { CodePool } from './code-pool.js';

/** Where users' code runs; each kind of experiment says what of it. */
export interface CodeRunner {
  /** Runs each piece of it time-boxed in threads; null: it runs where it is called, and what does not end keeps the process. */
  pool: CodePool | null;
  /** Compares expressions for it. */
  compare: SymbolicComparer;
}

/** Runs users' code where it is called. */
export function localCode(compare: SymbolicComparer = async () => undefined): CodeRunner {
  return { pool: null, compare };
}

let ofCommand: CodeRunner | undefined;

/** Runs what a command checks before anything is asked; nothing is compared for that. */
export function commandCode(): CodeRunner {
  ofCommand ??= { pool: new CodePool(), compare: async () => undefined };
  return ofCommand;
}
