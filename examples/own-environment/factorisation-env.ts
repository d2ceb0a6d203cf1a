import { Environment, type Feedback, type Json, type ResetOutcome, type StepOutcome } from 'reprise';

/** What one step hands to the next. It has to survive JSON: the next step may run on another machine. */
interface Progress {
  attempts: number;
}

const DEFAULT_ATTEMPTS = 3;

function isPrime(number: number): boolean {
  if (number < 2) return false;
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return true;
}

/**
 * Factorise a number into primes. Judged by arithmetic, so the dataset needs no answers, and a reply gets another
 * attempt with a hint. `env_options.max_attempts` (default 3).
 */
export class FactorisationEnv extends Environment {
  private get number(): number {
    return Number(this.task.question);
  }

  private get maxAttempts(): number {
    return Number(this.settings.options.max_attempts ?? DEFAULT_ATTEMPTS);
  }

  /** Called for every row before anything runs; the message is what the user reads. */
  override validate(): void {
    if (!Number.isSafeInteger(this.number) || this.number < 2 || this.number > 1e12) {
      throw new Error('dataset.input_field: a whole number from 2 to 10^12 is needed');
    }
    if (!Number.isInteger(this.maxAttempts) || this.maxAttempts < 1) {
      throw new Error('dataset.env_options.max_attempts: must be a whole number of at least 1');
    }
  }

  reset(): ResetOutcome {
    const progress: Progress = { attempts: 0 };
    const question = `Write ${this.number} as a product of primes, such as 2 * 2 * 3. Put it alone in the last line.`;
    return { state: { ...progress }, obs: this.instruct(question) };
  }

  step(state: Json, action: string): StepOutcome {
    const attempts = (state as unknown as Progress).attempts + 1;
    const factors = (action.trim().split('\n').at(-1)?.match(/\d+/g) ?? []).map(Number);
    const hint = this.hint(factors);
    const done = hint === null || attempts >= this.maxAttempts;
    const feedback: Feedback = {
      correct: hint === null,
      target: '',
      message: hint ?? 'Right.',
      extra: { extracted: factors.join(' * '), attempts },
    };
    return {
      state: { attempts },
      obs: done ? null : `${hint} Try again.`,
      feedback,
      done,
      info: {},
      // Later successes are worth less.
      reward: hint === null ? 1 / attempts : 0,
    };
  }

  /** What is wrong with an answer; null where nothing is. */
  private hint(factors: readonly number[]): string | null {
    if (factors.length === 0) return 'The last line holds no numbers.';
    const composite = factors.find((factor) => !isPrime(factor));
    if (composite !== undefined) return `${composite} is not a prime.`;
    const product = factors.reduce((left, right) => left * right, 1);
    return product === this.number ? null : `The product is ${product}, not ${this.number}.`;
  }
}
