import { groupBy } from '../../../statistics/group-by.js';
import { compareScaffoldIds } from './ids.js';
import type { LineageNode } from './lineage.js';

/** Scaffold in its row of the tree. */
export interface PlacedNode {
  node: LineageNode;
  /** Number from 0, from the top. */
  row: number;
  /** The parent's row; null for a scaffold from scratch, and where the parent is unknown. */
  parentRow: number | null;
  /** True if the best scaffold is this one or was evolved from it. */
  leadsToBest: boolean;
}

/**
 * Places a forest: every node in a row of its own, below its parent and its parent's earlier children with all of their
 * descendants. Drawn with the iteration as the other coordinate, no two lines cross. A node that has no known parent,
 * or is its own ancestor in a damaged lineage, is placed like a scaffold from scratch: none is ever left out.
 */
export function layOut(nodes: readonly LineageNode[], best: string | null): PlacedNode[] {
  const sorted = [...nodes].sort((left, right) => compareScaffoldIds(left.id, right.id));
  const byId = new Map(sorted.map((node) => [node.id, node]));
  const children = groupBy(sorted, ({ parent_scaffold_id: parent }) =>
    parent !== null && byId.has(parent) ? parent : null,
  );
  const rows = new Map<LineageNode, number>();
  const placed: PlacedNode[] = [];
  const placeAll = (roots: readonly LineageNode[]) => {
    const stack = roots.map((node) => ({ node, parentRow: null as number | null })).reverse();
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node, parentRow } = next;
      if (rows.has(node)) continue;
      const row = placed.length;
      rows.set(node, row);
      placed.push({ node, row, parentRow, leadsToBest: false });
      for (const child of [...(children.get(node.id) ?? [])].reverse())
        stack.push({ node: child, parentRow: row });
    }
  };
  placeAll(children.get(null) ?? []);
  for (const node of sorted) placeAll([node]);
  const bestNode = best === null ? undefined : byId.get(best);
  let row = bestNode === undefined ? null : (rows.get(bestNode) ?? null);
  while (row !== null) {
    const step = placed[row] as PlacedNode;
    step.leadsToBest = true;
    row = step.parentRow;
  }
  return placed;
}
