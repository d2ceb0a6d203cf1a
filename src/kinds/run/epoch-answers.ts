import type { ResultRow } from '../../contracts/results.js';
import { environmentName } from '../../environments/registry.js';
import { compareQuickly } from '../../grading/compare-quickly.js';
import { oneSpelling } from '../../grading/exact.js';
import { GradingLimitError, type SymbolicComparer } from '../../grading/grade.js';
import { answerOf } from './reducers.js';
import type { RunConfig } from './schema.js';

/** Reports whether two answers to one question are the same. */
type Comparer = (left: ResultRow, right: ResultRow) => boolean | Promise<boolean>;

/** Maximum symbolic comparisons of a sample, which take some 14 ms each: beyond them only equal texts are one answer. */
const MOST_COMPARED = 100;

const isRight = ({ feedback }: ResultRow) => feedback?.correct === true;

/**
 * Compares two answers as the grader compares them with the target. Right ones have been compared, with the target of
 * their feedback; wrong ones, which have not, are compared here, or a vote would favour what is right.
 */
function numericComparer(symbolic: SymbolicComparer, tolerance: number): Comparer {
  return async (left, right) => {
    if (isRight(left) !== isRight(right)) return false;
    if (isRight(left))
      return JSON.stringify(left.feedback?.target) === JSON.stringify(right.feedback?.target);
    if (typeof left.extracted !== 'string' || typeof right.extracted !== 'string') return false;
    const quick = compareQuickly(left.extracted, right.extracted, tolerance);
    if (quick !== undefined) return quick;
    try {
      return (await symbolic(left.extracted, right.extracted, tolerance)) === true;
    } catch (error) {
      if (error instanceof GradingLimitError) return false;
      throw error;
    }
  };
}

function comparerOf({ dataset }: RunConfig, symbolic: SymbolicComparer): Comparer | null {
  const { tolerance } = dataset.env_options;
  switch (environmentName(dataset)) {
    case 'MathQAEnv':
      return numericComparer(symbolic, typeof tolerance === 'number' ? tolerance : 0);
    case 'QAEnv':
      return (left, right) => oneSpelling(answerOf(left)) === oneSpelling(answerOf(right));
    default:
      return null;
  }
}

/** Answers of a sample: those that the grader of their task takes for the same as the first of them are one in a vote. */
export class EpochAnswers {
  private sample: string | null = null;
  private compared = 0;
  /** The first row with each answer, and the votes by the answers' texts. */
  private firsts: ResultRow[] = [];
  private readonly votes = new Map<string, string>();
  private readonly areSame: Comparer | null;

  constructor(config: RunConfig, rules: Partial<RunConfig['metrics']>, symbolic: SymbolicComparer) {
    const bounded: SymbolicComparer = async (...pair) => {
      this.compared += 1;
      return this.compared <= MOST_COMPARED && symbolic(...pair);
    };
    this.areSame = rules.reducers?.includes('mode') ? comparerOf(config, bounded) : null;
  }

  /** Returns a row with its vote. Rows arrive sample by sample. */
  async counted<Row extends ResultRow>(row: Row): Promise<Row & { vote?: string }> {
    if (this.areSame === null || row.error !== null) return row;
    if (row.id !== this.sample) {
      this.sample = row.id;
      this.compared = 0;
      this.firsts = [];
      this.votes.clear();
    }
    const answer = answerOf(row);
    const vote = this.votes.get(answer) ?? (await this.voteOf(row, answer));
    this.votes.set(answer, vote);
    return { ...row, vote };
  }

  private async voteOf(row: ResultRow, answer: string): Promise<string> {
    for (const first of this.firsts) if (await this.areSame?.(row, first)) return answerOf(first);
    this.firsts.push(row);
    return answer;
  }
}
