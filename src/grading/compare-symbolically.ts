import { LONGEST_EXPRESSION } from './bounds.js';
import { compareQuickly, compareReadings } from './compare-quickly.js';
import { loadSymbolicEngine } from './mathematics/symbolic-engine.js';
import { symbolicJudge } from './mathematics/symbolic-judge.js';

/**
 * Compares two mathematical answers with the maths library (`@cortex-js/compute-engine`), which the first call loads:
 * it parses their LaTeX and evaluates them to 50 digits. Expressions that are known to be expensive are refused, but
 * there is no time limit here: run it in a worker thread that has one.
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
  const engine = await loadSymbolicEngine();
  try {
    return compareReadings(left, right, symbolicJudge(engine, tolerance));
  } catch {
    // An error is limited to these two answers; others can still be compared.
    return undefined;
  }
}
