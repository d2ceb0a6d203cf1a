import { countedText } from '../../../statistics/figure-text.js';
import type { EvolveState, ScaffoldNode } from '../contracts.js';
import { generateScaffolds, newNode, type WantedScaffold } from './generation.js';
import { compareScaffoldIds } from './ids.js';
import type { IterationPlan, IterationPorts } from './iteration-ports.js';
import { bestScaffold } from './lineage.js';
import { Population } from './population.js';
import { type ScoredScaffold, Scoring } from './scoring.js';
import { createSelection, restoreSelection, type Selection } from './selection.js';
import { settleAll } from './settle-all.js';

export interface IterationOutcome {
  state: EvolveState;
  /** Scaffolds that were evolved, in order of preference. */
  parents: string[];
  validated: ScoredScaffold[];
  trained: ScoredScaffold[];
}

/** Error where no scaffold is left that can be evolved: no try gave one, or every one was given up. */
export class NoScaffoldError extends Error {
  override readonly name = 'NoScaffoldError';
}

/**
 * One iteration of an evolution. Iteration 0 generates scaffolds. Each later one validates as many as needed to find
 * the best K, runs those on a training example, and evolves a child of each; one that cannot be evolved is replaced by
 * the next best. Decisions do not depend on which step ends first.
 */
export class Iteration {
  private readonly population: Population;
  private readonly scoring: Scoring;

  constructor(
    private readonly plan: IterationPlan,
    private readonly state: EvolveState,
    private readonly ports: IterationPorts,
    /** Prefix of every progress line. */
    private readonly label = `Iteration ${state.next_iteration}`,
  ) {
    this.population = new Population(state);
    this.scoring = new Scoring(plan, state.next_iteration, label, this.population, ports);
  }

  private get number(): number {
    return this.state.next_iteration;
  }

  /** Returns the scaffolds that this iteration has made or scored, in their current state. */
  touchedNodes(): ScaffoldNode[] {
    return this.population.touchedNodes();
  }

  /** Runs the iteration. @throws NoScaffoldError with a message for people. */
  async run(): Promise<IterationOutcome> {
    if (this.number === 0) {
      const made = await this.begin();
      return this.outcome(null, made, []);
    }
    const { selection, parents, made } = await this.evolve();
    return this.outcome(selection, made, parents);
  }

  /**
   * Validates the scaffolds of the last iteration, and any others needed to find the best; nothing is evolved. The
   * resulting state has the scores, and no other iteration begins with it.
   *
   * The best has its score from this iteration. Selections that do not rank by the mean keep scores of earlier
   * iterations, whose examples may have been easier: such a score makes a scaffold a candidate, which is validated
   * again.
   */
  async validate(): Promise<IterationOutcome> {
    const selection = this.beginSelection(1);
    await this.select(selection);
    for (;;) {
      const best = bestScaffold(this.population.all());
      if (best === null || best.iteration === this.number) return this.outcome(selection, [], []);
      await this.scoring.validate(best.id);
    }
  }

  private outcome(selection: Selection | null, newcomers: string[], parents: string[]): IterationOutcome {
    const inOrder = (jobs: readonly ScoredScaffold[]) =>
      [...jobs].sort((left, right) => compareScaffoldIds(left.scaffold, right.scaffold));
    return {
      state: {
        ...this.state,
        next_iteration: this.number + 1,
        ids: this.population.ids,
        nodes: this.population.sorted(),
        selection: selection === null ? this.state.selection : selection.snapshot(),
        newcomers,
      },
      parents,
      validated: inOrder(this.scoring.validated),
      trained: inOrder(this.scoring.trained),
    };
  }

  private async begin(): Promise<string[]> {
    const ids = Array.from({ length: this.plan.initial_scaffolds }, () => this.population.takeId(null));
    this.announce(`Generating ${countedText(ids.length, 'scaffold')}: ${ids.join(', ')}`);
    const made = await this.make(ids.map((id, hand) => ({ id, parent: null, runs: [], hand })));
    if (made.length > 0) return made;
    const [first] = this.touchedNodes();
    throw new NoScaffoldError(
      `scaffolder: no try gave a usable scaffold, so there is nothing to evolve. Scaffold ${first?.id}: ` +
        `${first?.error}. Change scaffolder or task_prompt, or repeat the command where the provider was at fault.`,
    );
  }

  private async evolve(): Promise<{ selection: Selection; parents: string[]; made: string[] }> {
    const selection = this.beginSelection(this.plan.scaffolds_per_iter);
    const wanted = this.plan.scaffolds_per_iter;
    const evolved: string[] = [];
    const tried = new Set<string>();
    const made: string[] = [];
    while (evolved.length < wanted) {
      const preferred = await this.select(selection);
      const round = preferred.filter((id) => !tried.has(id)).slice(0, wanted - evolved.length);
      if (round.length === 0) break;
      const children = round.map((parent, index) => ({
        parent,
        id: this.population.takeId(parent),
        // Each earlier iteration was dealt `wanted` hands; a replacement is dealt the first hands of the next
        // iteration.
        hand: (this.number - 1) * wanted + tried.size + index,
      }));
      for (const id of round) tried.add(id);
      this.announce(`Evolving ${round.join(', ')}${this.beyondCells(selection, round)}`);
      const wantedChildren = await settleAll(children.map((child) => this.wantedChild(child)));
      made.push(...(await this.make(wantedChildren.filter((child) => child !== null))));
      const successful = children.filter(({ id }) => this.population.get(id).status === 'new');
      evolved.push(...successful.map(({ parent }) => parent));
      const missing = round.length - successful.length;
      if (missing > 0) selection.widen(missing);
    }
    if (evolved.length < wanted) {
      this.ports.say(
        `[${this.label}] Warning: ${evolved.length} of ${countedText(wanted, 'scaffold')} were evolved: no other is left that could be`,
      );
    }
    return { selection, parents: evolved, made };
  }

  /** Returns null where the parent could not be run: then there is nothing to learn from. */
  private async wantedChild({
    parent,
    id,
    hand,
  }: {
    parent: string;
    id: string;
    hand: number;
  }): Promise<WantedScaffold | null> {
    const runs = await this.scoring.train(parent, hand);
    if (!('unscored' in runs)) {
      return { id, parent: this.population.get(parent), runs, hand: hand + this.plan.initial_scaffolds };
    }
    this.scoring.giveUp(newNode(id, parent, this.number), runs);
    return null;
  }

  private beginSelection(parents: number): Selection {
    const selection =
      this.state.selection === null
        ? createSelection(this.plan.selection, this.plan.seed)
        : restoreSelection(this.state.selection);
    const newcomers = this.state.newcomers.map((id) => {
      const { parent_scaffold_id, traits } = this.population.get(id);
      return { id, parent_scaffold_id, traits: traits ?? { characters: 0, model_calls: 0 } };
    });
    selection.begin({ iteration: this.number, newcomers, parents });
    return selection;
  }

  /** Validates scaffolds until the parents are known. */
  private async select(selection: Selection): Promise<string[]> {
    const going = new Set<Promise<void>>();
    for (;;) {
      const offered = selection.offer();
      if (offered.length > 0) {
        const examples = countedText(this.scoring.validation.length, 'example');
        this.announce(
          `Validating ${countedText(offered.length, 'scaffold')} on ${examples}: ${offered.join(', ')}`,
        );
      }
      for (const id of offered) {
        const validation: Promise<void> = this.scoring.validate(id).then((result) => {
          if (result === null) selection.withdraw(id);
          else selection.record(id, result);
          going.delete(validation);
        });
        going.add(validation);
      }
      const parents = selection.parents();
      if (parents !== null) {
        await settleAll([...going]);
        if (parents.length === 0) this.refuseNothing();
        return parents;
      }
      if (going.size === 0) throw new Error('a selection wants nothing and says nothing');
      await Promise.race([...going]).catch(async (error: unknown) => {
        await Promise.allSettled([...going]);
        throw error;
      });
    }
  }

  /** Names, for people, the parents that a selection takes for lack of better ones. */
  private beyondCells(selection: Selection, round: readonly string[]): string {
    const fillers = selection.fillers?.().filter((id) => round.includes(id)) ?? [];
    if (fillers.length === 0) return '';
    return ` (${fillers.join(', ')} though better ones have their cells: there are too few cells)`;
  }

  private announce(what: string): void {
    this.ports.announce(`[${this.label}] ${what}`);
  }

  /** Checks why there is no parent. @throws NoScaffoldError where scaffolds were given up. */
  private refuseNothing(): void {
    const given = this.population.all().find(({ status }) => status === 'unscored');
    if (given === undefined) return;
    throw new NoScaffoldError(
      `every scaffold was given up without a score; the same command tries them again. Scaffold ${given.id}: ${given.error}`,
    );
  }

  /** Makes scaffolds. Returns the ids of those that take part, in order. */
  private async make(wanted: readonly WantedScaffold[]): Promise<string[]> {
    const { plan, number: iteration, label } = this;
    const made = await generateScaffolds(
      wanted,
      { plan, iteration, label, earlier: this.population.all() },
      this.ports,
    );
    for (const node of made) this.population.put(node);
    return made
      .filter(({ status }) => status === 'new')
      .map(({ id }) => id)
      .sort(compareScaffoldIds);
  }
}
