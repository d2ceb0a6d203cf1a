import { GENERATORS, generateRows } from '../../../../environments/generators/index.js';
import type { DatasetExample } from '../types.js';

/**
 * Converts rows of `reprise generate` to examples: the question is the input, the answer is for the scorer.
 * @throws RangeError where there are fewer different rows.
 */
export function generatedExamples(kind: string, count: number, seed: number): DatasetExample[] {
  const most = GENERATORS[kind]?.most ?? 0;
  if (count > most) throw new RangeError(`there are ${most} different rows of ${kind}, not ${count}`);
  return [...generateRows(kind, count, seed)].map(({ id, question, answer }) => ({
    id,
    input: question,
    scoring_data: { answer },
  }));
}
