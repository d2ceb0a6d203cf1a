import { LONGEST_EXPRESSION } from './bounds.js';
import { compareQuickly, compareReadings } from './compare-quickly.js';
import type { SymbolicComparer } from './grade.js';
import { loadSymbolicEngine } from './mathematics/symbolic-engine.js';
import { symbolicJudge } from './mathematics/symbolic-judge.js';

/**
 * Compares two mathematical answers with the maths library (`@cortex-js/compute-engine`), which is loaded by the
 * first call: it parses their LaTeX and evaluates them to 50 digits. Expressions that are known to be expensive are
 * refused, but there is no time limit here: run it in a worker thread that has one.
 * @returns `undefined` where the two could not be compared.
 */
export async function compareSymbolically(
  left: string,
  right: string,
  tolerance = 0,
): Promise<boolean | undefined> {
  const quick = compareQuickly(left, right, tolerance);
  if (quick !== undefined) return quick;
  if (left.length > LONGEST_EXPRESSION || right.length > LONGEST_EXPRESSION) return undefined;
  return compareReadings(left, right, symbolicJudge(await loadSymbolicEngine(), tolerance));
}

/** Compares in this process, without a time limit. */
export const symbolicComparer: SymbolicComparer = compareSymbolically;
