import { addCosts } from '../../../runtime/add-costs.js';
import { roundCost } from '../../../statistics/result-row.js';
import type { ScaffoldNode } from '../contracts.js';

/** US dollars by scaffold; null once a price is not known. */
export type ScaffoldSpending = Record<string, number | null>;

/** What the scaffolds of an iteration have cost in it. */
export class ScaffoldCosts {
  /** @param spent what was spent before, when an iteration goes on in another execution */
  constructor(readonly spent: ScaffoldSpending = {}) {}

  add(scaffold: string, cost: number | null): void {
    const before = this.spent[scaffold];
    this.spent[scaffold] = before === undefined ? cost : addCosts(before, cost);
  }

  /** The scaffolds with what they had cost before and in this iteration. */
  addedTo(nodes: readonly ScaffoldNode[]): ScaffoldNode[] {
    return nodes.map((node) => {
      const spent = this.spent[node.id];
      if (spent === undefined) return node;
      const cost = node.cost_usd === undefined ? spent : addCosts(node.cost_usd, spent);
      // The order in which steps end is no part of the figure.
      return { ...node, cost_usd: cost === null ? null : roundCost(cost) };
    });
  }
}
