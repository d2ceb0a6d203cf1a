import { isScaffoldId } from './ids.js';
import { MAIN_FILE } from './types.js';

/**
 * Paths of an evolution experiment, which are built in this file only. They are relative to the experiment's folder,
 * with `/` on every system, and none is a `/`-prefix of another.
 */

export type RunType = 'train' | 'valid' | 'test';

/** `new`: made in this iteration. `old`: chosen from an earlier one, with all of its files. */
export type Generation = 'old' | 'new';

/** Files of the experiment as a whole. */
export const experimentFiles = {
  metadata: 'metadata.json',
  lineage: 'lineage.json',
} as const;

/** Files that Reprise adds to a scaffold's own. */
export const scaffoldSupportFiles = {
  metadata: 'metadata.json',
  executor: 'llm_executor.py',
  interfaces: 'llm_interfaces.py',
} as const;

/**
 * Returns `name_20260131_235959`, in UTC.
 * @param name already valid as a folder's name.
 * @param startedAt ISO 8601, as the workflow knows it: a replay must get the same name.
 */
export function experimentFolder(name: string, startedAt: string): string {
  const time = new Date(startedAt);
  if (Number.isNaN(time.getTime())) throw new RangeError(`${JSON.stringify(startedAt)} is no point in time`);
  const [date, clock] = time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').split('T');
  return `${segment(name)}_${date}_${clock}`;
}

export function iterationFolder(iteration: number): string {
  if (!Number.isSafeInteger(iteration) || iteration < 0) throw new RangeError(`${iteration} is no iteration`);
  return `iterations/${iteration}`;
}

export function scoringPath(iteration: number): string {
  return `${iterationFolder(iteration)}/scoring.json`;
}

export function scaffoldFolder(iteration: number, generation: Generation, id: string): string {
  return `${iterationFolder(iteration)}/scaffolds/${generation}/${scaffoldSegment(id)}`;
}

/** Returns the path of a scaffold's file, by default of its main one. */
export function scaffoldFile(
  iteration: number,
  generation: Generation,
  id: string,
  file: string = MAIN_FILE,
): string {
  return `${scaffoldFolder(iteration, generation, id)}/${relative(file)}`;
}

/** Returns the path of a scaffold's run results, for programs (`json`) or for people (`log`). */
export function logPath(iteration: number, id: string, run: RunType, format: 'json' | 'log'): string {
  return `${iterationFolder(iteration)}/logs/${scaffoldSegment(id)}/${run}.${format}`;
}

/** Returns the folder of the best scaffold, with the same files as in its iteration. */
export function bestFolder(): string {
  return 'best';
}

export function bestFile(file: string = MAIN_FILE): string {
  return `${bestFolder()}/${relative(file)}`;
}

function scaffoldSegment(id: string): string {
  if (!isScaffoldId(id)) throw new RangeError(`${JSON.stringify(id)} is no scaffold id`);
  return id;
}

function segment(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new RangeError(`${JSON.stringify(name)} is not fit for a folder's name`);
  }
  return name;
}

/** Checks a path once more: one from a model was checked when its reply was read. */
function relative(file: string): string {
  const parts = file.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\'))) {
    throw new RangeError(`${JSON.stringify(file)} is no path within a scaffold`);
  }
  return file;
}

/** Returns the path of run results of the last validation, and of the test of the best scaffold. */
export function closingLogPath(id: string, run: RunType, format: 'json' | 'log'): string {
  return `closing/logs/${scaffoldSegment(id)}/${run}.${format}`;
}

export function closingScoringPath(): string {
  return 'closing/scoring.json';
}
