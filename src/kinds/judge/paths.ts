import { padded, segment } from '../../storage/paths.js';

/** Returns the folder of a judgement, within the folder of the experiment. */
export function judgementPrefix(name: string): string {
  return `judged/${segment(name)}`;
}

/** Returns the key of a chunk of the judged trajectories, one per row. */
export function judgedChunkKey(chunk: number): string {
  return `${judgedChunksFolder()}/${padded(chunk)}.jsonl`;
}

/** Returns the folder of trajectories that are being judged. */
export function judgedChunksFolder(): string {
  return 'episodes';
}

/** Returns the key of a step's error. */
export function judgeErrorKey(trajectory: number, step: number): string {
  return `${judgeErrorsPrefix()}${padded(trajectory)}/${padded(step)}.json`;
}

/** Returns the prefix of all errors of steps. */
export function judgeErrorsPrefix(): string {
  return 'errors/';
}

/** Returns the step that a {@link judgeErrorKey} names. */
export function judgedStepOf(errorKey: string): { trajectory: number; step: number } {
  const [trajectory = '', step = ''] = errorKey.slice(judgeErrorsPrefix().length).split('/');
  return { trajectory: Number.parseInt(trajectory, 10), step: Number.parseInt(step, 10) };
}
