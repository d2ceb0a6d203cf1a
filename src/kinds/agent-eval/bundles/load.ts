import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { InvalidInputError } from '../../../config/errors.js';
import { parsePlainJson } from '../../../datasets/json-text.js';
import { JsonLinesError, readNumberedJsonLines } from '../../../storage/json-lines.js';
import { loadReward, type ModuleTrial, moduleMessage } from './bundle-modules.js';
import type { Reward } from './reward.js';
import { type LoadedRow, type NoteFault, RowLoader } from './row-loader.js';

/** A bundle that can be run: its rows, their tools, and the reward. */
export interface Bundle {
  folder: string;
  /** The dataset's path. */
  file: string;
  rows: LoadedRow[];
  reward: Reward;
}

export interface LoadOptions {
  /** Present time of rows without a `now` of their own, ISO 8601. */
  now: string;
  /** Trial of each module before it is loaded here. */
  trial?: ModuleTrial | undefined;
}

const DATASET = 'task.jsonl';

/** Fault of a bundle. */
export interface BundleFault {
  /** Path of the file, or of the bundle's folder. */
  file: string;
  /** Line of the file, from 1; null if the fault is not in a single line. */
  line: number | null;
  /** Id of the row; null if it has none, or the fault is not in a single row. */
  row: string | null;
  /** Path of the field, such as `oracle[1].tool`; empty if the fault is not in a single field. */
  field: string;
  message: string;
}

export function describeFault({ file, line, row, field, message }: BundleFault): string {
  const place = `${file}${line === null ? '' : ` line ${line}`}${row === null ? '' : ` (${row})`}`;
  return `${place}: ${field === '' ? '' : `${field}: `}${message}`;
}

/** Error of a bundle that cannot be used. The message has a line for each fault. */
export class BundleError extends InvalidInputError {
  constructor(readonly faults: readonly BundleFault[]) {
    super(faults.map(describeFault).join('\n'), faults[0]?.field ?? '');
  }
}

/**
 * Loads a bundle from its folder, or from a dataset in it.
 * @throws BundleError with all faults, each with file, line, row and field.
 */
export async function loadBundle(path: string, options: LoadOptions): Promise<Bundle> {
  const file = await datasetFile(resolve(path));
  const folder = dirname(file);
  const faults: BundleFault[] = [];
  const rows: LoadedRow[] = [];
  const loader = new RowLoader(folder, options.now, options.trial);
  const taken = new Map<string, number>();
  try {
    for await (const { line, value } of readNumberedJsonLines(createReadStream(file), {
      name: file,
      parse: parsePlainJson,
    })) {
      const id = idOf(value);
      const note: NoteFault = (field, message) => faults.push({ file, line, row: id, field, message });
      const first = id === null ? undefined : taken.get(id);
      if (first !== undefined) note('id', `is taken: line ${first} has it too`);
      else if (id !== null) taken.set(id, line);
      const loaded = await loader.load(value, line, note);
      if (loaded !== null) rows.push(loaded);
    }
  } catch (error) {
    if (!(error instanceof JsonLinesError)) throw error;
    const message = error.message.replace(`line ${error.line} of ${file} `, '');
    faults.push({ file, line: error.line, row: null, field: '', message });
  }
  const reward = await loadReward(folder, { trial: options.trial }).catch((error: unknown) => {
    faults.push({ file: folder, line: null, row: null, field: '', message: moduleMessage(error) });
  });
  if (rows.length === 0 && faults.length === 0) {
    faults.push({ file, line: null, row: null, field: '', message: 'there are no rows' });
  }
  if (faults.length > 0 || !reward) throw new BundleError(faults);
  return { folder, file, rows, reward };
}

async function datasetFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  const file = found?.isDirectory() ? join(path, DATASET) : path;
  const dataset = file === path ? found : await stat(file).catch(() => null);
  if (dataset?.isFile()) return file;
  const message = found === null ? 'there is no such folder or file' : `there is no ${basename(file)}`;
  throw new BundleError([{ file: path, line: null, row: null, field: '', message }]);
}

function idOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  return typeof id === 'string' && id !== '' ? id : null;
}
