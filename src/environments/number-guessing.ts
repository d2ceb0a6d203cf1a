import type { Feedback, ResetOutcome, StepOutcome } from '../contracts/environment.js';
import type { Json } from '../contracts/json.js';
import { saidIn } from '../replies/read-reply.js';
import { Environment } from './environment.js';

interface GuessingState {
  guesses: number;
}

const DEFAULT_MAXIMUM = 100;
const DEFAULT_GUESSES = 7;

/**
 * A multi-step environment: find the secret number (the row's target) from higher/lower hints.
 * `env_options`: `maximum` (default 100) and `max_guesses` (default 7).
 */
export class NumberGuessingEnv extends Environment {
  private get maximum(): number {
    return Number(this.task.metadata.maximum ?? this.settings.options.maximum ?? DEFAULT_MAXIMUM);
  }

  private get maxGuesses(): number {
    return Number(this.settings.options.max_guesses ?? DEFAULT_GUESSES);
  }

  private get secret(): number {
    return Number(this.task.target);
  }

  override validate(): void {
    if (!Number.isInteger(this.maxGuesses) || this.maxGuesses < 1) {
      throw new Error('dataset.env_options.max_guesses: must be a whole number of at least 1');
    }
    if (!Number.isInteger(this.secret) || this.secret < 1 || this.secret > this.maximum) {
      throw new Error(`dataset.target_field: the secret must be a whole number from 1 to ${this.maximum}`);
    }
  }

  reset(): ResetOutcome {
    const rules = `I think of a whole number from 1 to ${this.maximum}. You have ${this.maxGuesses} guesses; after each I say higher or lower. Reply with your guess.`;
    return { state: { guesses: 0 }, obs: this.instruct(this.task.question, `{question}\n${rules}`).trim() };
  }

  step(state: Json, action: string): StepOutcome {
    const guesses = (state as unknown as GuessingState).guesses + 1;
    // The last number of the reply is the guess; reasoning may come before it.
    const text = saidIn(action)
      .match(/-?\d{1,9}/g)
      ?.at(-1);
    const guess = text === undefined ? null : Number(text);
    const correct = guess === this.secret;
    const hint = this.hint(guess);
    const done = correct || guesses >= this.maxGuesses;
    const feedback: Feedback = {
      correct,
      target: String(this.secret),
      message: hint,
      extra: { extracted: text ?? null, guesses },
    };
    const left = this.maxGuesses - guesses;
    return {
      state: { guesses },
      obs: done ? null : `${hint} ${left} ${left === 1 ? 'guess' : 'guesses'} left.`,
      feedback,
      done,
      info: { question_id: this.task.id },
    };
  }

  private hint(guess: number | null): string {
    if (guess === null) return 'That was no number.';
    if (guess === this.secret) return 'Found.';
    return guess < this.secret ? 'Higher.' : 'Lower.';
  }
}
