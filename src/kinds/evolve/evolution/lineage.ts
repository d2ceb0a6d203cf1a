import { compareScaffoldIds, parentOfScaffold } from './ids.js';
import { checkScore } from './scores.js';
import type { SelectionKind } from './selection.js';

/** Status of a scaffold. */
export type ScaffoldStatus =
  /** Made, but not validated yet. */
  | 'new'
  | 'validated'
  /** Every try failed, and the last one equals another scaffold; takes no part. */
  | 'duplicate'
  /** No try gave a usable program. The id stays taken. */
  | 'failed'
  /** Given up without a score: it, its draft or its parent could not be run for reasons that are not its own. */
  | 'unscored';

/** Scaffold in `lineage.json`. */
export interface LineageNode {
  id: string;
  parent_scaffold_id: string | null;
  /** The iteration that made it. */
  iteration: number;
  status: ScaffoldStatus;
  /** Runs on training examples, in the order of the iterations. */
  train: { iteration: number; example_id: string; score: number }[];
  /** Mean scores on the validation examples of an iteration, in the order of the iterations. */
  valid: { iteration: number; score: number }[];
  /** US dollars spent on calls to write and run it; null once a price is unknown. */
  cost_usd?: number | null;
  /** The scaffold that a duplicate equals. */
  duplicate_of?: string;
  /** Reason why it failed or was given up. */
  error?: string;
}

/** Content of `lineage.json`. */
export interface Lineage {
  schema_version: 1;
  selection: SelectionKind;
  /** The best scaffold, as {@link bestScaffold} chooses it. */
  best: { id: string; iteration: number; score: number } | null;
  /** Sorted by id. */
  nodes: LineageNode[];
}

export function lineageFile(selection: SelectionKind, nodes: readonly LineageNode[]): Lineage {
  const sorted = [...nodes].sort((left, right) => compareScaffoldIds(left.id, right.id));
  for (const [index, { id, train, valid }] of sorted.entries()) {
    if (sorted[index - 1]?.id === id) throw new RangeError(`scaffold ${id} stands twice in the lineage`);
    for (const { score } of [...train, ...valid]) checkScore(score, `a score of scaffold ${id}`);
  }
  return { schema_version: 1, selection, best: bestScaffold(sorted), nodes: sorted };
}

/**
 * Returns the scaffold with the highest validation score, each by its most recent one; training and test scores do not
 * count. Of equal ones it is the one whose score is of the later iteration, then the first by id. One that was given up
 * is not chosen. Null where none was validated.
 */
export function bestScaffold(nodes: readonly LineageNode[]): Lineage['best'] {
  const [best] = nodes
    .flatMap(({ id, status, valid }) => {
      const recent = latestScore(valid);
      return recent === undefined || status === 'unscored'
        ? []
        : [{ id, iteration: recent.iteration, score: recent.score }];
    })
    .sort(
      (left, right) =>
        right.score - left.score || right.iteration - left.iteration || compareScaffoldIds(left.id, right.id),
    );
  return best ?? null;
}

/** Finds a scaffold by its id. @throws RangeError where there is none. */
export function nodeOf<Node extends LineageNode>(nodes: readonly Node[], id: string): Node {
  const node = nodes.find((one) => one.id === id);
  if (node === undefined) throw new RangeError(`there is no scaffold ${id}`);
  return node;
}

/** Returns the ids from the scaffold made from scratch to this one. */
export function ancestry(id: string): string[] {
  const parent = parentOfScaffold(id);
  return parent === null ? [id] : [...ancestry(parent), id];
}

/** Returns the score of the latest iteration, the last one of several; undefined where there is none. */
export function latestScore<Score extends { iteration: number }>(
  scores: readonly Score[],
): Score | undefined {
  return scores.reduce<Score | undefined>(
    (latest, one) => (latest === undefined || one.iteration >= latest.iteration ? one : latest),
    undefined,
  );
}
