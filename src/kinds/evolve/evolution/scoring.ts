import { scoreText } from '../../../statistics/figure-text.js';
import type { ScaffoldJob, ScaffoldNode } from '../contracts.js';
import { type IterationPlan, type IterationPorts, scoresOn, type Unscored } from './iteration-ports.js';
import type { Population } from './population.js';
import { dealtExamples, validationSubset } from './sampling.js';
import { type Validation, validationOf } from './scores.js';

/** Scaffold with the examples that an iteration has run it on. */
export interface ScoredScaffold {
  scaffold: string;
  examples: string[];
}

/** Runs the scaffolds of an iteration on examples, and records their scores. */
export class Scoring {
  readonly validated: ScoredScaffold[] = [];
  readonly trained: ScoredScaffold[] = [];
  /** The examples that validate every scaffold of this iteration. */
  readonly validation: readonly string[];

  constructor(
    private readonly plan: IterationPlan,
    private readonly iteration: number,
    /** Prefix of every progress line. */
    private readonly label: string,
    private readonly population: Population,
    private readonly ports: IterationPorts,
  ) {
    const { valid, num_validation_examples, seed } = plan;
    this.validation = validationSubset(valid, num_validation_examples, { seed, iteration });
  }

  /** Returns null where the scaffold is given up. */
  async validate(id: string): Promise<Validation | null> {
    const { iteration, validation: examples } = this;
    const scored = await this.scores(id, 'valid', examples);
    if ('unscored' in scored) {
      this.giveUp(this.population.get(id), scored);
      return null;
    }
    const validation = validationOf(scored.scores);
    this.validated.push({ scaffold: id, examples: [...examples] });
    const { error: _error, ...node } = this.population.get(id);
    const valid = [
      ...node.valid.filter((earlier) => earlier.iteration !== iteration),
      { iteration, score: validation.score },
    ];
    this.population.put({ ...node, status: 'validated', valid });
    this.say(`Evaluating scaffold ${id}: validation score ${scoreText(validation.score)}`);
    return validation;
  }

  /**
   * Runs a parent on its training example, and on more where the prompt shows the worst of them.
   * @param hand number of its hand.
   */
  async train(id: string, hand: number): Promise<ScaffoldJob[] | Unscored> {
    const { plan, iteration } = this;
    const count = 1 + plan.scaffolder.feedback_examples;
    const examples = dealtExamples(plan.train, count, { seed: plan.seed, purpose: 'evolve', hand });
    const scored = await this.scores(id, 'train', examples);
    if ('unscored' in scored) return scored;
    this.trained.push({ scaffold: id, examples });
    const node = this.population.get(id);
    const [first] = examples;
    const score = first === undefined ? undefined : scored.scores[first];
    if (first === undefined || score === undefined) this.population.put(node);
    else {
      const earlier = node.train.filter((run) => run.iteration !== iteration);
      this.population.put({ ...node, train: [...earlier, { iteration, example_id: first, score }] });
      this.say(`Running scaffold ${id} on training example ${first}: score ${scoreText(score)}`);
    }
    return examples.map((example) => ({ scaffold: id, iteration, type: 'train', example }));
  }

  /** Gives up a scaffold without a score, because of a cause that is not its own. */
  giveUp(node: ScaffoldNode, { unscored: error }: Unscored): void {
    this.population.put({ ...node, status: 'unscored', error });
    this.say(`Warning: scaffold ${node.id} is given up without a score: ${error}`);
  }

  /** Returns the scores of a scaffold by example. */
  private scores(id: string, type: ScaffoldJob['type'], examples: readonly string[]) {
    const { iteration } = this;
    const job = { scaffold: id, made_in: this.population.get(id).iteration, iteration, type };
    return scoresOn(examples, (example) => this.ports.execute({ ...job, example }));
  }

  private say(line: string): void {
    this.ports.say(`[${this.label}] ${line}`);
  }
}
