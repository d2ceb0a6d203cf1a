import type { CodeTraits } from './duplicates.js';
import type { Seed } from './sampling.js';
import type { Validation } from './scores.js';
import { IslandSelection, type IslandSettings, type IslandState } from './selection/islands.js';
import { ParetoSelection, type ParetoState } from './selection/pareto.js';
import { TopKSelection, type TopKState } from './selection/top-k.js';

/** Scaffold that enters the selection. */
export interface Newcomer {
  id: string;
  parent_scaffold_id: string | null;
  traits: CodeTraits;
}

/** Input of the selection for an iteration. */
export interface IterationStart {
  iteration: number;
  /** The scaffolds made since the last iteration, in any order. */
  newcomers: readonly Newcomer[];
  /** Number of scaffolds to evolve. */
  parents: number;
}

/**
 * Selection of the scaffolds to validate and to evolve. Its state is plain JSON, which does not depend on the order in
 * which validations end; random choices depend on the seed and the iteration alone.
 *
 * One iteration: `begin`; then `offer` and `record` until `parents` returns a list. A scaffold that cannot be evolved
 * is replaced by `widen(1)`, which may require further validations before `parents` returns a list again. Replacements
 * are requested when every attempt of a round has ended, so that they do not depend on which failed first.
 */
export interface Selection {
  /** Keeps the scores of the last iteration and begins the next one. */
  begin(start: IterationStart): void;
  /** Returns scaffolds that may now be validated concurrently. Each is named once and must be recorded or withdrawn. */
  offer(): string[];
  record(id: string, validation: Validation): void;
  /** Removes a scaffold that got no score; called instead of `record`. */
  withdraw(id: string): void;
  /** Returns the scaffolds to evolve, best first: fewer than requested only if there are no more. Null until known. */
  parents(): string[] | null;
  /** Returns parents that the selection's own rule would not choose, and that fill the requested number. */
  fillers?(): string[];
  /** Requests more parents than the iteration began with. */
  widen(more: number): void;
  /** Returns the state as plain JSON; see {@link restoreSelection}. */
  snapshot(): SelectionState;
}

export type SelectionSettings =
  | { kind: 'top_k' }
  | ({ kind: 'islands' } & IslandSettings)
  | { kind: 'pareto' };
export type SelectionKind = SelectionSettings['kind'];
export type SelectionState = TopKState | IslandState | ParetoState;

export function createSelection(settings: SelectionSettings, seed: Seed): Selection {
  if (settings.kind === 'islands') return IslandSelection.create(settings, seed);
  return settings.kind === 'pareto' ? ParetoSelection.create(seed) : TopKSelection.create();
}

export function restoreSelection(state: SelectionState): Selection {
  if (state.kind === 'islands') return new IslandSelection(state);
  return state.kind === 'pareto' ? new ParetoSelection(state) : new TopKSelection(state);
}
