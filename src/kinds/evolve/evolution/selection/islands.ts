import { createRandom } from '../../../../statistics/random.js';
import type { CodeTraits } from '../duplicates.js';
import { compareScaffoldIds } from '../ids.js';
import type { Seed } from '../sampling.js';
import type { Validation } from '../scores.js';
import type { IterationStart, Newcomer, Selection } from '../selection.js';
import { drawWeighted } from './draw.js';
import {
  begunRound,
  isComplete,
  offerRound,
  recordInRound,
  startRound,
  type ValidationRound,
  widenRound,
  withdrawFromRound,
} from './validation-round.js';

export interface IslandSettings {
  /** Number of separate populations. */
  islands: number;
  /** Iterations from one migration to the next; 0 for none. */
  migration_interval: number;
}

/** New scaffold and the cell that it competes for. */
interface Challenger {
  id: string;
  island: number;
  cell: string;
}

export interface IslandState extends IslandSettings {
  kind: 'islands';
  seed: Seed;
  /** Elite of each cell at the beginning of the iteration, one record per island. */
  grids: Record<string, string>[];
  /** Most recent mean score of every scaffold. */
  recent: Record<string, number>;
  /** The island that a scaffold was placed on or, later, was last evolved from. */
  homes: Record<string, number>;
  challengers: Challenger[];
  round: ValidationRound | null;
}

const SMALLEST_CLASS = 500;
const MAX_CALLS_DISTINGUISHED = 3;

/**
 * Returns the cell of the archive that a scaffold belongs to: its size, in classes that double (below 500 characters,
 * below 1,000, below 2,000, …), and the number of places that call the model (0, 1, 2, 3 or more). Code alone decides,
 * so the cell is known before the scaffold has run.
 */
export function cellOf({ characters, model_calls }: CodeTraits): string {
  const size = characters < SMALLEST_CLASS ? 0 : Math.floor(Math.log2(characters / SMALLEST_CLASS)) + 1;
  return `size ${size}, calls ${Math.min(model_calls, MAX_CALLS_DISTINGUISHED)}`;
}

/**
 * Island populations that each keep an archive of elites, the best scaffold of every cell (MAP-Elites; Mouret and
 * Clune, 2015, arXiv 1504.04909). The code alone decides on the cell (see {@link cellOf}).
 *
 * - The first scaffolds are assigned to the islands by their id; an evolved one stays on its parent's.
 * - A new scaffold competes with the elite of its cell. Both are validated in this iteration, on the same examples; the
 *   new one must be better, not equal. Elites without a challenger keep their most recent score and are not validated.
 * - Parents are drawn from the islands in turn, on each with a probability in proportion to 1/rank by score. Where
 *   there are fewer elites than requested parents, the best scaffolds without a cell follow.
 * - Every `migration_interval` iterations the best of each island is copied to the next one, where it takes its cell if
 *   its most recent score is higher.
 */
export class IslandSelection implements Selection {
  static create({ islands, migration_interval }: IslandSettings, seed: Seed): IslandSelection {
    if (!Number.isSafeInteger(islands) || islands < 1)
      throw new RangeError(`${islands} islands cannot be kept`);
    const grids = Array.from({ length: islands }, () => ({}));
    const nobody = { recent: {}, homes: {}, challengers: [], round: null };
    return new IslandSelection({ kind: 'islands', islands, migration_interval, seed, grids, ...nobody });
  }

  private state: IslandState;

  constructor(state: IslandState) {
    this.state = state;
  }

  begin({ iteration, newcomers, parents }: IterationStart): void {
    const { round, islands, migration_interval: interval } = this.state;
    if (round !== null && !isComplete(round)) throw new RangeError('validations are still open');
    const homes = { ...this.state.homes, ...(round === null ? {} : Object.fromEntries(this.draws())) };
    const recent = this.scores();
    let grids = this.settledGrids();
    if (interval > 0 && iteration > 0 && iteration % interval === 0) grids = migrate(grids, recent);
    const challengers = newcomers
      .map((newcomer) => ({
        id: newcomer.id,
        island: islandOf(newcomer, homes, islands),
        cell: cellOf(newcomer.traits),
      }))
      .sort((left, right) => compareScaffoldIds(left.id, right.id));
    for (const { id, island } of challengers) homes[id] = island;
    const incumbents = challengers.flatMap(({ island, cell }) => grids[island]?.[cell] ?? []);
    const due = [...new Set([...challengers.map(({ id }) => id), ...incumbents])].sort(compareScaffoldIds);
    const next = startRound(iteration, parents, due);
    this.state = { ...this.state, grids, recent, homes, challengers, round: next };
  }

  offer(): string[] {
    const { round, due } = offerRound(this.round);
    this.state = { ...this.state, round };
    return due;
  }

  record(id: string, validation: Validation): void {
    this.state = { ...this.state, round: recordInRound(this.round, id, validation) };
  }

  withdraw(id: string): void {
    const isOther = ([, elite]: [string, string]) => elite !== id;
    const { [id]: _score, ...recent } = this.state.recent;
    this.state = {
      ...this.state,
      recent,
      round: withdrawFromRound(this.round, id),
      challengers: this.state.challengers.filter((challenger) => challenger.id !== id),
      grids: this.state.grids.map((grid) => Object.fromEntries(Object.entries(grid).filter(isOther))),
    };
  }

  parents(): string[] | null {
    return isComplete(this.round) ? this.draws().map(([id]) => id) : null;
  }

  fillers(): string[] {
    const elites = new Set(this.settledGrids().flatMap((grid) => Object.values(grid)));
    return this.draws().flatMap(([id]) => (elites.has(id) ? [] : [id]));
  }

  widen(more: number): void {
    this.state = { ...this.state, round: widenRound(this.round, more) };
  }

  snapshot(): IslandState {
    return this.state;
  }

  /**
   * Returns the parents of this iteration with the island each was drawn from. A wider draw begins with the narrower
   * one.
   */
  private draws(): [string, number][] {
    const { seed, islands } = this.state;
    const { iteration, wanted } = this.round;
    const scores = this.scores();
    const populations = this.settledGrids().map((grid) => byScore(Object.values(grid), scores));
    const drawn = new Map<string, number>();
    for (let slot = 0; slot < wanted; slot += 1) {
      const random = createRandom(`islands:${seed}:${iteration}:${slot}`);
      for (let step = 0; step < islands; step += 1) {
        const island = (iteration + slot + step) % islands;
        const elites = (populations[island] ?? []).filter((id) => !drawn.has(id));
        if (elites.length === 0) continue;
        drawn.set(
          drawWeighted(elites, (_, rank) => 1 / (rank + 1), random),
          island,
        );
        break;
      }
    }
    const { homes } = this.state;
    const others = byScore(Object.keys(scores), scores).filter((id) => !drawn.has(id));
    for (const id of others.slice(0, wanted - drawn.size)) drawn.set(id, homes[id] ?? 0);
    return [...drawn];
  }

  /** Returns the grids after this iteration's contests, with the challengers in the order of their ids. */
  private settledGrids(): Record<string, string>[] {
    const scores = this.scores();
    const grids = this.state.grids.map((grid) => ({ ...grid }));
    for (const { id, island, cell } of this.state.challengers) takeIfBetter(grids[island], cell, id, scores);
    return grids;
  }

  private scores(): Record<string, number> {
    const { recent, round } = this.state;
    const validations = Object.entries(round?.validations ?? {});
    return { ...recent, ...Object.fromEntries(validations.map(([id, { score }]) => [id, score])) };
  }

  private get round(): ValidationRound {
    return begunRound(this.state.round);
  }
}

function islandOf(newcomer: Newcomer, homes: Readonly<Record<string, number>>, islands: number): number {
  const { id, parent_scaffold_id: parent } = newcomer;
  const home = parent === null ? undefined : homes[parent];
  return home ?? Number(id.split('-')[0]) % islands;
}

function byScore(ids: readonly string[], scores: Record<string, number>): string[] {
  return [...ids].sort(
    (left, right) => (scores[right] ?? 0) - (scores[left] ?? 0) || compareScaffoldIds(left, right),
  );
}

function takeIfBetter(
  grid: Record<string, string> | undefined,
  cell: string,
  id: string,
  scores: Record<string, number>,
): void {
  if (grid === undefined) return;
  const holder = grid[cell];
  if (holder === undefined || (scores[id] ?? 0) > (scores[holder] ?? 0)) grid[cell] = id;
}

/** Copies the best of each island, as they are before any migration, to the next island. */
function migrate(grids: Record<string, string>[], scores: Record<string, number>): Record<string, string>[] {
  const after = grids.map((grid) => ({ ...grid }));
  for (const [island, grid] of grids.entries()) {
    const [best] = byScore(Object.values(grid), scores);
    const cell = Object.keys(grid).find((one) => grid[one] === best);
    if (best === undefined || cell === undefined) continue;
    takeIfBetter(after[(island + 1) % grids.length], cell, best, scores);
  }
  return after;
}
