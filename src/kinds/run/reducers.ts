import type { ResultRow } from '../../contracts/results.js';
import { ClusterSums } from '../../statistics/cluster-sums.js';
import { type BootstrapOptions, boundsOf } from '../../statistics/clustered-bootstrap.js';
import { passAtK } from '../../statistics/pass-at-k.js';
import type { ReducedFigure } from './results.js';

/** Names of reducers; `K` of the last two is a number of epochs. */
export const REDUCER = /^(?:mean|mode|(?:at_least|pass_at)_[1-9]\d*)$/;
export const REDUCERS = 'mean, mode, at_least_K or pass_at_K';

/** Returns the K of `at_least_K` and `pass_at_K`: the epochs that they need; 1 of the others. */
export function epochsNeeded(reducer: string): number {
  return Number(/_(\d+)$/.exec(reducer)?.[1] ?? 1);
}

/** Judged epoch of a sample. */
interface Epoch {
  answer: string;
  correct: boolean;
}

/** Row with the answer that it votes for, if that is not its own: see `EpochAnswers`. */
export type VotingRow = ResultRow & { vote?: string };

/** Returns the answer of a row: the extracted one, or else the action. */
export function answerOf({ extracted, action }: ResultRow): string {
  const answer = extracted ?? action ?? '';
  return (typeof answer === 'string' ? answer : JSON.stringify(answer)).trim();
}

/**
 * Finds the most frequent answer (majority vote; Wang et al. 2022, arXiv 2203.11171). Of several, the first seen counts.
 * @returns whether that answer was judged right, and whether others were as frequent
 */
function vote(epochs: readonly Epoch[]): { correct: boolean; isTied: boolean } {
  const votes = new Map<string, { correct: boolean; count: number }>();
  for (const { answer, correct } of epochs) {
    const of = votes.get(answer) ?? { correct, count: 0 };
    of.count += 1;
    votes.set(answer, of);
  }
  const most = Math.max(...[...votes.values()].map(({ count }) => count));
  const [first, ...others] = [...votes.values()].filter(({ count }) => count === most);
  return { correct: first?.correct === true, isTied: others.length > 0 };
}

/** Sums of the values to which reducers reduce the judged epochs of each sample. */
export class ReducerSums {
  private readonly sums: Map<string, ClusterSums>;
  private ties = 0;

  /** @param reducers names, see {@link REDUCER} */
  constructor(reducers: readonly string[]) {
    this.sums = new Map(reducers.map((reducer) => [reducer, new ClusterSums()]));
  }

  /**
   * Adds a sample by the last rows of its epochs. Errors are left out; a reducer that needs more epochs has no value.
   * @param isRight reports whether an epoch's answer is right; null: that is not known, and it is left out
   */
  add(
    cluster: string,
    rows: readonly VotingRow[],
    isRight: (row: ResultRow) => boolean | null = ({ feedback }) => feedback?.correct === true,
  ): void {
    const epochs = rows
      .filter(({ error }) => error === null)
      .flatMap((row): Epoch[] => {
        const correct = isRight(row);
        return correct === null ? [] : [{ answer: row.vote ?? answerOf(row), correct }];
      });
    const successes = epochs.filter(({ correct }) => correct).length;
    for (const [reducer, sums] of this.sums) {
      const needed = epochsNeeded(reducer);
      if (epochs.length < needed) continue;
      if (reducer === 'mean') sums.add(cluster, successes / epochs.length);
      else if (reducer === 'mode') sums.add(cluster, Number(this.voted(epochs)));
      else if (reducer.startsWith('at_least_')) sums.add(cluster, Number(successes >= needed));
      else sums.add(cluster, passAtK(epochs.length, successes, needed));
    }
  }

  private voted(epochs: readonly Epoch[]): boolean {
    const { correct, isTied } = vote(epochs);
    if (isTied) this.ties += 1;
    return correct;
  }

  figures(options: BootstrapOptions): Record<string, ReducedFigure> {
    const figures = [...this.sums].map(([reducer, sums]): [string, ReducedFigure] => {
      const mean = sums.interval({ ...options, isShare: true });
      return [
        reducer,
        {
          samples: sums.count,
          mean: mean?.estimate ?? null,
          stderr: mean?.stderr ?? null,
          interval: boundsOf(mean),
          ...(reducer === 'mode' ? { ties: this.ties } : {}),
        },
      ];
    });
    return Object.fromEntries(figures);
  }
}

/** The same of each true or false score by a run's scorers. */
export class ScoreReducerSums {
  private readonly byScore = new Map<string, ReducerSums>();

  constructor(private readonly reducers: readonly string[]) {}

  add(cluster: string, rows: readonly VotingRow[]): void {
    const scores = rows.flatMap((row) => Object.entries(row.scores ?? {}));
    for (const name of new Set(scores.flatMap(([one, value]) => (typeof value === 'boolean' ? [one] : [])))) {
      const sums = this.byScore.get(name) ?? new ReducerSums(this.reducers);
      this.byScore.set(name, sums);
      sums.add(cluster, rows, (row) => {
        const value = row.scores?.[name];
        return typeof value === 'boolean' ? value : null;
      });
    }
  }

  /** Returns the figures by score; none where there is none. */
  figures(options: BootstrapOptions): { score_reducers?: Record<string, Record<string, ReducedFigure>> } {
    const figures = [...this.byScore].map(([name, sums]) => [name, sums.figures(options)]);
    return figures.length === 0 ? {} : { score_reducers: Object.fromEntries(figures) };
  }
}
