import type { EvolveState, ScaffoldJob, ScaffoldNode } from '../contracts/evolve.js';
import { settleAll } from '../runtime/settle-all.js';
import { scoreText } from '../statistics/figure-text.js';
import { generateScaffolds, newNode, type WantedScaffold } from './generation.js';
import { compareScaffoldIds, takeScaffoldId } from './ids.js';
import { everyScore, type IterationPlan, type IterationPorts, type Unscored } from './iteration-ports.js';
import { bestScaffold } from './lineage.js';
import { trainingExamples, validationSubset } from './sampling.js';
import { type Validation, validationOf } from './scores.js';
import { createSelection, restoreSelection, type Selection } from './selection.js';

/** What an iteration ends with. */
export interface IterationOutcome {
  state: EvolveState;
  /** Scaffolds that were evolved, in order of preference. */
  parents: string[];
  validated: { scaffold: string; examples: string[] }[];
  trained: { scaffold: string; examples: string[] }[];
}

/** There is no scaffold left that can be evolved: no try gave one, or every one was given up. */
export class NoScaffoldError extends Error {
  override readonly name = 'NoScaffoldError';
}

/**
 * One iteration of an evolution. Iteration 0 generates scaffolds. Each later one validates as many as it takes to know
 * the best K, runs those on a training example, and evolves a child of each; one that cannot be evolved gives way to the
 * next best. What is decided does not depend on which step ends first.
 */
export class Iteration {
  private readonly nodes: Map<string, ScaffoldNode>;
  private ids: EvolveState['ids'];
  private readonly validated: IterationOutcome['validated'] = [];
  private readonly trained: IterationOutcome['trained'] = [];
  private readonly touched = new Set<string>();
  /** The examples that validate every scaffold of this iteration. */
  private readonly validation: readonly string[];

  constructor(
    private readonly plan: IterationPlan,
    private readonly state: EvolveState,
    private readonly ports: IterationPorts,
    /** Begins every line that people read. */
    private readonly label = `Iteration ${state.next_iteration}`,
  ) {
    this.nodes = new Map(state.nodes.map((node) => [node.id, structuredCopy(node)]));
    this.ids = state.ids;
    this.validation = validationSubset(plan.valid, plan.num_validation_examples, {
      seed: plan.seed,
      iteration: state.next_iteration,
    });
  }

  private get number(): number {
    return this.state.next_iteration;
  }

  /** The scaffolds that this iteration has made or scored, as they are now. */
  touchedNodes(): ScaffoldNode[] {
    return [...this.touched].flatMap((id) => this.nodes.get(id) ?? []);
  }

  /** @throws NoScaffoldError, for people. */
  async run(): Promise<IterationOutcome> {
    if (this.number === 0) {
      const made = await this.begin();
      return this.outcome(null, made, []);
    }
    const { selection, parents, made } = await this.evolve();
    return this.outcome(selection, made, parents);
  }

  /**
   * Validates what the last iteration made, and whatever else it takes to know the best; nothing is evolved. The state
   * that comes out of it has the scores, and is no other iteration's beginning.
   *
   * The best has its score from this iteration. Selections that do not rank by the mean leave scaffolds with the score
   * of an earlier one, whose examples may have been easier: such a score brings a scaffold up, and does not crown it.
   */
  async validate(): Promise<IterationOutcome> {
    const selection = this.beginSelection(1);
    await this.select(selection);
    for (;;) {
      const best = bestScaffold([...this.nodes.values()]);
      if (best === null || best.iteration === this.number) return this.outcome(selection, [], []);
      await this.validateOne(best.id);
    }
  }

  private outcome(selection: Selection | null, newcomers: string[], parents: string[]): IterationOutcome {
    const nodes = [...this.nodes.values()].sort((left, right) => compareScaffoldIds(left.id, right.id));
    const inOrder = (jobs: { scaffold: string; examples: string[] }[]) =>
      [...jobs].sort((left, right) => compareScaffoldIds(left.scaffold, right.scaffold));
    return {
      state: {
        ...this.state,
        next_iteration: this.number + 1,
        ids: this.ids,
        nodes,
        selection: selection === null ? this.state.selection : selection.snapshot(),
        newcomers,
      },
      parents,
      validated: inOrder(this.validated),
      trained: inOrder(this.trained),
    };
  }

  private async begin(): Promise<string[]> {
    const ids = Array.from({ length: this.plan.initial_scaffolds }, () => this.takeId(null));
    const made = await this.make(ids.map((id) => ({ id, parent: null, runs: [] })));
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
      for (const id of round) tried.add(id);
      const children = round.map((parent) => ({ parent, id: this.takeId(parent) }));
      const wantedChildren = await settleAll(children.map((child) => this.wantedChild(child)));
      made.push(...(await this.make(wantedChildren.filter((child) => child !== null))));
      // A child that says the same as another was made all the same: its parent has had its turn.
      const successful = children.filter(({ id }) => !['failed', 'unscored'].includes(this.node(id).status));
      evolved.push(...successful.map(({ parent }) => parent));
      const missing = round.length - successful.length;
      if (missing > 0) selection.widen(missing);
    }
    return { selection, parents: evolved, made };
  }

  /** Null where its parent could not be run: then there is nothing to learn from. */
  private async wantedChild({ parent, id }: { parent: string; id: string }): Promise<WantedScaffold | null> {
    const runs = await this.train(parent);
    if (!('unscored' in runs)) return { id, parent: this.node(parent), runs };
    this.giveUp(newNode(id, parent, this.number), runs);
    return null;
  }

  private beginSelection(parents: number): Selection {
    const selection =
      this.state.selection === null
        ? createSelection(this.plan.selection, this.plan.seed)
        : restoreSelection(this.state.selection);
    const newcomers = this.state.newcomers.map((id) => {
      const { parent_scaffold_id, traits } = this.node(id);
      return { id, parent_scaffold_id, traits: traits ?? { characters: 0, model_calls: 0 } };
    });
    selection.begin({ iteration: this.number, newcomers, parents });
    return selection;
  }

  /** Validates until it is known whom to evolve. */
  private async select(selection: Selection): Promise<string[]> {
    const going = new Set<Promise<void>>();
    for (;;) {
      for (const id of selection.offer()) {
        const validation: Promise<void> = this.validateOne(id).then((result) => {
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

  /** @throws NoScaffoldError where that there is nobody to evolve comes from giving up everybody. */
  private refuseNothing(): void {
    const given = [...this.nodes.values()].find(({ status }) => status === 'unscored');
    if (given === undefined) return;
    throw new NoScaffoldError(
      `every scaffold was given up without a score; the same command tries them again. Scaffold ${given.id}: ${given.error}`,
    );
  }

  /** It is not scored, as what kept it from a result is not its own doing. */
  private giveUp(node: ScaffoldNode, { unscored: error }: Unscored): void {
    const { id } = node;
    this.nodes.set(id, { ...node, status: 'unscored', error });
    this.touched.add(id);
    this.ports.say(`[${this.label}] Warning: scaffold ${id} is given up without a score: ${error}`);
  }

  /** Null where it is given up. */
  private async validateOne(id: string): Promise<Validation | null> {
    const { number, validation: examples } = this;
    const scored = await this.scores(id, 'valid', examples);
    if ('unscored' in scored) {
      this.giveUp(this.node(id), scored);
      return null;
    }
    const validation = validationOf(scored.scores);
    this.validated.push({ scaffold: id, examples: [...examples] });
    const node = this.node(id);
    this.touched.add(id);
    delete node.error;
    node.status = 'validated';
    node.valid = [
      ...node.valid.filter(({ iteration }) => iteration !== number),
      { iteration: number, score: validation.score },
    ];
    this.ports.say(
      `[${this.label}] Evaluating scaffold ${id}: validation score ${scoreText(validation.score)}`,
    );
    return validation;
  }

  /** Runs a parent on its training example, and on more where the prompt shows the worst of them. */
  private async train(id: string): Promise<ScaffoldJob[] | Unscored> {
    const { plan, number } = this;
    const count = 1 + plan.scaffolder.feedback_examples;
    const examples = trainingExamples(plan.train, count, {
      seed: plan.seed,
      iteration: number,
      purpose: 'evolve',
      scaffold_id: id,
    });
    const scored = await this.scores(id, 'train', examples);
    if ('unscored' in scored) return scored;
    const { scores } = scored;
    this.trained.push({ scaffold: id, examples });
    const node = this.node(id);
    this.touched.add(id);
    const [first] = examples;
    const score = first === undefined ? undefined : scores[first];
    if (first !== undefined && score !== undefined) {
      node.train = [
        ...node.train.filter(({ iteration }) => iteration !== number),
        { iteration: number, example_id: first, score },
      ];
      this.ports.say(
        `[${this.label}] Running scaffold ${id} on training example ${first}: score ${scoreText(score)}`,
      );
    }
    return examples.map((example) => ({ scaffold: id, iteration: number, type: 'train', example }));
  }

  /** What a scaffold scores, by example. */
  private async scores(
    id: string,
    type: ScaffoldJob['type'],
    examples: readonly string[],
  ): Promise<ReturnType<typeof everyScore>> {
    const job = { scaffold: id, made_in: this.node(id).iteration, iteration: this.number, type };
    return everyScore(
      await settleAll(
        examples.map(async (example) => [example, await this.ports.execute({ ...job, example })] as const),
      ),
    );
  }

  /** Answers with those that take part, in the order of their ids. */
  private async make(wanted: readonly WantedScaffold[]): Promise<string[]> {
    const { plan, number: iteration, label } = this;
    const earlier = [...this.nodes.values()];
    const made = await generateScaffolds(wanted, { plan, iteration, label, earlier }, this.ports);
    for (const node of made) {
      this.nodes.set(node.id, node);
      this.touched.add(node.id);
    }
    return made
      .filter(({ status }) => status === 'new')
      .map(({ id }) => id)
      .sort(compareScaffoldIds);
  }

  private takeId(parent: string | null): string {
    const { id, counters } = takeScaffoldId(this.ids, parent);
    this.ids = counters;
    return id;
  }

  private node(id: string): ScaffoldNode {
    const node = this.nodes.get(id);
    if (node === undefined) throw new Error(`there is no scaffold ${id}`);
    return node;
  }
}

function structuredCopy(node: ScaffoldNode): ScaffoldNode {
  return { ...node, train: [...node.train], valid: [...node.valid] };
}
