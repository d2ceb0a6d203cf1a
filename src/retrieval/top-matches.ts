import type { RetrievalMatch } from './retrieval-service.js';

/** Scores are rounded to nine decimals: the last bits, in which machines may differ, must not decide an order. */
const PRECISION = 1e9;

/** The `k` best of the matches it is offered: the greater score first, of equal scores the greater id. */
export class TopMatches {
  private readonly best: RetrievalMatch[] = [];

  constructor(private readonly k: number) {}

  offer(id: number, exactScore: number): void {
    const score = Math.round(exactScore * PRECISION) / PRECISION;
    let place = this.best.length;
    while (place > 0 && this.isBetter(score, id, this.best[place - 1] as RetrievalMatch)) place--;
    if (place >= this.k) return;
    this.best.splice(place, 0, { id, score });
    if (this.best.length > this.k) this.best.pop();
  }

  list(): RetrievalMatch[] {
    return this.best;
  }

  private isBetter(score: number, id: number, other: RetrievalMatch): boolean {
    return score > other.score || (score === other.score && id > other.id);
  }
}
