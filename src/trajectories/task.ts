import type { Frozen } from './frozen.js';
import { read } from './read.js';
import { type TaskData, taskSchema } from './schema.js';

export type TaskInput = Pick<TaskData, 'task_id'> & Partial<TaskData>;

/** Task of an agent in an episode, with the criteria for judging the outcome. Immutable. */
export class Task implements TaskData {
  readonly task_id: string;
  readonly inputs: Frozen<Record<string, unknown>>;
  readonly eval_criteria: Frozen<Record<string, unknown>>;
  readonly metadata: Frozen<Record<string, unknown>>;

  /** Throws `InvalidTrajectoryError` where the input is not a valid task. */
  constructor(input: TaskInput) {
    const data = read(taskSchema, input, 'task');
    this.task_id = data.task_id;
    this.inputs = data.inputs;
    this.eval_criteria = data.eval_criteria;
    this.metadata = data.metadata;
    Object.freeze(this);
  }

  /** Parses a task from a JSON value. */
  static parse(value: unknown): Task {
    return new Task(value as TaskInput);
  }

  toJSON(): TaskData {
    const { task_id, inputs, eval_criteria, metadata } = this;
    return { task_id, inputs, eval_criteria, metadata };
  }
}
