import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { InvalidInputError } from '../../../config/errors.js';
import { asValues, parseYaml } from '../../../config/yaml-text.js';
import { isMapping } from '../../../contracts/json.js';
import { fileReadError } from '../../../datasets/dataset-error.js';
import { readDelimitedRows } from '../../../datasets/delimited-files.js';
import { readJsonLinesRows } from '../../../datasets/json-files.js';
import { plainJson } from '../../../datasets/row.js';

const PREFIX = 'file://';

/** Reports whether a value of a promptfoo config names a file. */
export function namesFile(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(PREFIX);
}

/** Returns the path of a file that a config in `folder` names. */
export function pathOf(named: string, folder: string): string {
  return resolve(folder, named.startsWith(PREFIX) ? named.slice(PREFIX.length) : named);
}

/** Returns the files that a path means, which may have `*` in its name. @throws InvalidInputError */
export function filesAt(path: string): string[] {
  const [name, folder] = [basename(path), dirname(path)];
  if (!name.includes('*')) return [path];
  const parts = name.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`);
  const names = reading(folder, () => readdirSync(folder)).filter((one) => pattern.test(one));
  if (names.length === 0) throw new InvalidInputError(`there is no file at ${path}`);
  return names.sort().map((one) => resolve(folder, one));
}

function reading<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw new InvalidInputError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

export function textAt(path: string): string {
  return reading(path, () => readFileSync(path, 'utf8'));
}

/** Reads a YAML or JSON file. @throws InvalidInputError */
export function readValue(path: string): unknown {
  const text = textAt(path);
  return reading(path, () => asValues(parseYaml(text)));
}

/** Reads the rows of a CSV or JSON lines file, or the list in a YAML or JSON file; null: it is none of these. */
export async function rowsAt(path: string): Promise<Record<string, unknown>[] | null> {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return collected(readDelimitedRows(path, null, 'tests'), path);
    case '.jsonl':
      return collected(readJsonLinesRows(path, 'tests'), path);
    case '.yaml':
    case '.yml':
    case '.json':
      return [readValue(path)].flat().filter(isMapping);
    default:
      return null;
  }
}

async function collected(
  rows: ReturnType<typeof readDelimitedRows>,
  path: string,
): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  try {
    for await (const row of rows) all.push(plainJson(row) as Record<string, unknown>);
  } catch (error) {
    throw fileReadError(error, path, 'tests');
  }
  return all;
}
