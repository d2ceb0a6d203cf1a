import type { RetrievalMatch } from './retrieval-service.js';

/**
 * Precision of scores: nine decimals, because the last bits, which may differ between machines, must not affect the
 * order.
 */
const PRECISION = 1e9;

/** Collector of the `k` best matches: the greater score first, of equal scores the greater id. */
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
