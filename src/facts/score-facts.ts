import type { ScoreFigure } from '../statistics/score-tally.js';
import { type Fact, rateFact, scoreFact } from './fact.js';

/** Figure of a score; of an experiment in progress, the mean alone. */
type Score = Pick<ScoreFigure, 'mean' | 'is_share'> & Partial<ScoreFigure>;

/**
 * Returns a fact for each named score: a share where all values are true or false, else a mean.
 * @param judged number of judged samples, if it is known; scores of fewer say so
 */
export function scoreFacts(
  scores: Readonly<Record<string, Score>>,
  judged = 0,
  more: Pick<Fact, 'brief'> = {},
): Fact[] {
  return Object.entries(scores).map(([name, { mean, is_share, interval, stderr, samples = judged }]) => {
    const estimated = {
      ...more,
      label: is_share ? name : `mean ${name}`,
      interval,
      stderr,
      note: samples < judged ? `of ${samples} samples` : undefined,
    };
    return (is_share ? rateFact : scoreFact)(`score:${name}`, mean, estimated);
  });
}
