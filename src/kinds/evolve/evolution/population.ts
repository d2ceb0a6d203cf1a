import type { EvolveState, ScaffoldNode } from '../contracts.js';
import { compareScaffoldIds, NO_IDS, takeScaffoldId } from './ids.js';
import { noEvolveTotals } from './totals.js';

/** Returns the state before the first iteration. */
export function freshState(): EvolveState {
  return {
    next_iteration: 0,
    ids: NO_IDS,
    nodes: [],
    selection: null,
    newcomers: [],
    totals: noEvolveTotals(),
  };
}

/** Scaffolds of an experiment during an iteration, with those that it makes and their new scores. */
export class Population {
  private readonly nodes: Map<string, ScaffoldNode>;
  private readonly touched = new Set<string>();
  private counters: EvolveState['ids'];

  constructor({ nodes, ids }: Pick<EvolveState, 'nodes' | 'ids'>) {
    const copies = nodes.map((node) => ({ ...node, train: [...node.train], valid: [...node.valid] }));
    this.nodes = new Map(copies.map((node) => [node.id, node]));
    this.counters = ids;
  }

  /** Counters of the ids that are taken. */
  get ids(): EvolveState['ids'] {
    return this.counters;
  }

  takeId(parent: string | null): string {
    const { id, counters } = takeScaffoldId(this.counters, parent);
    this.counters = counters;
    return id;
  }

  all(): ScaffoldNode[] {
    return [...this.nodes.values()];
  }

  /** Returns the scaffolds in the order of their ids. */
  sorted(): ScaffoldNode[] {
    return this.all().sort((left, right) => compareScaffoldIds(left.id, right.id));
  }

  /** Returns the scaffolds that this iteration has made or scored, in their current state. */
  touchedNodes(): ScaffoldNode[] {
    return [...this.touched].flatMap((id) => this.nodes.get(id) ?? []);
  }

  /** Finds a scaffold. @throws where there is none. */
  get(id: string): ScaffoldNode {
    const node = this.nodes.get(id);
    if (node === undefined) throw new Error(`there is no scaffold ${id}`);
    return node;
  }

  put(node: ScaffoldNode): void {
    this.nodes.set(node.id, node);
    this.touched.add(node.id);
  }
}
