import {
  offerValidations,
  type RankingState,
  recordScore,
  startRanking,
  topScaffolds,
  widenRanking,
  withdrawScaffold,
} from '../ranking.js';
import type { Validation } from '../scores.js';
import type { IterationStart, Selection } from '../selection.js';

export interface TopKState {
  kind: 'top_k';
  ranking: RankingState | null;
}

/** Selects the K scaffolds with the highest mean, found by smart validation (see ../ranking.ts). */
export class TopKSelection implements Selection {
  static create(): TopKSelection {
    return new TopKSelection({ kind: 'top_k', ranking: null });
  }

  private ranking: RankingState | null;

  constructor(state: TopKState) {
    this.ranking = state.ranking;
  }

  begin({ newcomers, parents }: IterationStart): void {
    const earlier = this.ranking?.scaffolds ?? [];
    const scores = this.ranking?.scores ?? {};
    const historical = earlier.map(({ id, recent }) => ({ id, recent: scores[id] ?? recent }));
    this.ranking = startRanking(parents, [
      ...historical,
      ...newcomers.map(({ id }) => ({ id, recent: null })),
    ]);
  }

  offer(): string[] {
    const { state, validate } = offerValidations(this.current());
    this.ranking = state;
    return validate;
  }

  record(id: string, { score }: Validation): void {
    this.ranking = recordScore(this.current(), id, score);
  }

  withdraw(id: string): void {
    this.ranking = withdrawScaffold(this.current(), id);
  }

  parents(): string[] | null {
    return topScaffolds(this.current());
  }

  widen(more: number): void {
    const current = this.current();
    this.ranking = widenRanking(current, current.wanted + more);
  }

  snapshot(): TopKState {
    return { kind: 'top_k', ranking: this.ranking };
  }

  private current(): RankingState {
    if (this.ranking === null) throw new RangeError('no iteration has begun');
    return this.ranking;
  }
}
