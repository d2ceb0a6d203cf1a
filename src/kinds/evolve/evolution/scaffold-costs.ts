import { addCosts } from '../../../runtime/add-costs.js';
import { roundCost } from '../../../statistics/result-row.js';
import type { ScaffoldNode } from '../contracts.js';

/** US dollars by scaffold; null once a price is unknown. */
export type ScaffoldSpending = Record<string, number | null>;

/** Costs of scaffolds in one iteration. */
export class ScaffoldCosts {
  /** @param spent in earlier executions of the iteration */
  constructor(readonly spent: ScaffoldSpending = {}) {}

  add(scaffold: string, cost: number | null): void {
    const before = this.spent[scaffold];
    this.spent[scaffold] = before === undefined ? cost : addCosts(before, cost);
  }

  /** Returns the scaffolds with their costs before and in this iteration. */
  addedTo(nodes: readonly ScaffoldNode[]): ScaffoldNode[] {
    return nodes.map((node) => {
      const spent = this.spent[node.id];
      if (spent === undefined) return node;
      const cost = node.cost_usd === undefined ? spent : addCosts(node.cost_usd, spent);
      // The sum must not depend on the order in which steps end.
      return { ...node, cost_usd: cost === null ? null : roundCost(cost) };
    });
  }
}
