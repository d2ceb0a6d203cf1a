import type { Task } from '../../../contracts/environment.js';
import { lengthOf, scalarProducts } from '../../../retrieval/vectors.js';
import type { ScorerConfig } from '../scorers/schema.js';
import { type RowScores, type ScoredAnswer, type ScoringServices, scoreAnswer } from '../scorers/scorers.js';
import type { RunContext } from './run-context.js';

/** Returns what the scorers of a run need. */
function servicesOf(run: RunContext): ScoringServices {
  return {
    compareSymbolically: run.compareSymbolically,
    own: run.ownScorers,
    votes: run.votes,
    cosines: async (scorer, answer, others) => {
      const store = await run.scorerVectors(scorer);
      // All of them were paid for when the answer was given.
      const { vectors } = await store.vectorsOf([answer, ...others]);
      const [query, ...rest] = vectors as [Float32Array, ...Float32Array[]];
      const length = lengthOf(query);
      return [...scalarProducts(rest, query)].map((product, index) => {
        const size = length * lengthOf(rest[index] as Float32Array);
        return size > 0 ? product / size : 0;
      });
    },
  };
}

/**
 * Returns the fields of a row that its scorers make; none where it could not be judged, or has no scorers.
 * @param answer `task` reads the row's task, which is needed for scorers alone
 */
export async function scoreRow(
  run: RunContext,
  { task, ...answer }: Omit<ScoredAnswer, 'task'> & { task: () => Promise<Task> },
  scorers: Readonly<Record<string, ScorerConfig>> = run.config.scorers,
): Promise<Partial<RowScores>> {
  if (answer.row.error !== null || Object.keys(scorers).length === 0) return {};
  const { scores, unscored } = await scoreAnswer(scorers, { ...answer, task: await task() }, servicesOf(run));
  return { scores, ...(Object.keys(unscored).length === 0 ? {} : { unscored }) };
}
