import type { CodeTraits } from './duplicates.js';
import type { Seed } from './sampling.js';
import type { Validation } from './scores.js';
import { IslandSelection, type IslandSettings, type IslandState } from './selection/islands.js';
import { ParetoSelection, type ParetoState } from './selection/pareto.js';
import { TopKSelection, type TopKState } from './selection/top-k.js';

/** A scaffold that enters the selection. */
export interface Newcomer {
  id: string;
  parent_scaffold_id: string | null;
  traits: CodeTraits;
}

/** What an iteration begins with. */
export interface IterationStart {
  iteration: number;
  /** The scaffolds made since the last iteration, in any order. */
  newcomers: readonly Newcomer[];
  /** How many scaffolds are to be evolved. */
  parents: number;
}

/**
 * Decides which scaffolds of an iteration are validated and which are evolved. It keeps plain JSON; nothing in it
 * depends on the order in which validations end, and what is random comes from the seed and the iteration alone.
 *
 * One iteration: `begin`; then `offer` and `record` until `parents` answers. A scaffold that cannot be evolved is
 * replaced by `widen(1)`, which may bring up further validations before `parents` answers again. Replacements are asked
 * for when every attempt of a round has ended, so that they do not depend on which failed first.
 */
export interface Selection {
  /** Takes the last iteration's scores over and begins the next. */
  begin(start: IterationStart): void;
  /** Scaffolds whose validation may start now, at the same time. Each is named once and must be recorded. */
  offer(): string[];
  record(id: string, validation: Validation): void;
  /** In the place of `record`: the scaffold came to no score, and leaves. */
  withdraw(id: string): void;
  /** Whom to evolve, in order of preference: fewer than asked for only where there are no more. Null until known. */
  parents(): string[] | null;
  /** Parents that the selection's own rule would pass over, and that fill the number asked for. */
  fillers?(): string[];
  /** Asks for more parents than the iteration began with. */
  widen(more: number): void;
  /** Survives JSON; see {@link restoreSelection}. */
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

/** A selection that goes on where the snapshot was taken. */
export function restoreSelection(state: SelectionState): Selection {
  if (state.kind === 'islands') return new IslandSelection(state);
  return state.kind === 'pareto' ? new ParetoSelection(state) : new TopKSelection(state);
}
