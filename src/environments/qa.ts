import type { Feedback, ResetOutcome, StepOutcome } from '../contracts/environment.js';
import type { Json, JsonObject } from '../contracts/json.js';
import { gradeExact } from '../grading/exact.js';
import { rightByAny } from '../grading/several.js';
import { Environment, finalStep } from './environment.js';

/** A single question with a single answer, judged by exact match. The base class of the other question environments. */
export class QAEnv extends Environment {
  override validate(): void {
    if (this.task.target === null) throw new Error('dataset.target_field: the row has no target');
  }

  reset(): ResetOutcome {
    return { state: null, obs: this.instruct(this.normalizeInput(this.task.question)) };
  }

  async step(_state: Json, action: string): Promise<StepOutcome> {
    return finalStep(await this.evaluate(this.normalizeAction(action)), this.info());
  }

  /** Judges an action. Override it for another kind of question. */
  evaluate(action: string): Promise<Feedback> | Feedback {
    const grades = this.targets().map((target) => ({ target, grade: gradeExact(action, target) }));
    const { grade, target } = rightByAny(grades);
    const { correct, extracted, message } = grade;
    return { correct, target, message, extra: { extracted } };
  }

  protected target(): string {
    return this.normalizeTarget(this.task.target ?? '');
  }

  /** Returns all accepted answers. */
  protected targets(): string[] {
    return this.task.targets?.map((target) => this.normalizeTarget(target)) ?? [this.target()];
  }

  protected normalizeInput(question: string): string {
    return question;
  }

  protected normalizeTarget(target: string): string {
    return target;
  }

  protected normalizeAction(action: string): string {
    return action;
  }

  protected info(): JsonObject {
    return { question_id: this.task.id };
  }
}
