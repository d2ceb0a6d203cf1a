import { padded, segment } from '../../storage/paths.js';

/** The folder of a judgement of an experiment's trajectories, within the experiment's. */
export function judgementPrefix(name: string): string {
  return `judged/${segment(name)}`;
}

/** Some of the trajectories that are being judged, one a row. */
export function judgedChunkKey(chunk: number): string {
  return `${judgedChunksFolder()}/${padded(chunk)}.jsonl`;
}

/** Holds the trajectories while they are judged. */
export function judgedChunksFolder(): string {
  return 'episodes';
}

/** Why a step could not be judged. */
export function judgeErrorKey(trajectory: number, step: number): string {
  return `${judgeErrorsPrefix()}${padded(trajectory)}/${padded(step)}.json`;
}

/** Lists why steps could not be judged. */
export function judgeErrorsPrefix(): string {
  return 'errors/';
}

/** The step that {@link judgeErrorKey} names. */
export function judgedStepOf(errorKey: string): { trajectory: number; step: number } {
  const [trajectory = '', step = ''] = errorKey.slice(judgeErrorsPrefix().length).split('/');
  return { trajectory: Number.parseInt(trajectory, 10), step: Number.parseInt(step, 10) };
}
