import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { quotable } from '../config/named-files.js';
import { type Json, jsonFault } from '../contracts/json.js';
import { readArrowRows } from './arrow-file.js';
import { DatasetError, reasonOf } from './dataset-error.js';
import { type DatasetRow, isRow } from './row.js';

/**
 * Reads the rows of a folder that Hugging Face `save_to_disk` wrote: a Dataset (`state.json` and its .arrow files), or
 * a DatasetDict (`dataset_dict.json` and one folder for each split).
 */
export async function* readSavedDatasetRows(
  folder: string,
  split: string | null,
  field: string,
): AsyncGenerator<DatasetRow> {
  const splits = await splitsOf(folder, field);
  const chosen = splits === null ? folder : join(folder, chooseSplit(splits, split, folder));
  const state = await readObject(join(chosen, 'state.json'), field);
  if (state === null) {
    throw new DatasetError(
      `${chosen} (${field}) is a folder without a state.json: give a folder that Hugging Face save_to_disk wrote, or a .jsonl, .json, .csv, .tsv, .parquet or .arrow file`,
      field,
    );
  }
  const ownSplit = state._split;
  if (splits === null && split !== null && typeof ownSplit === 'string' && ownSplit !== split) {
    throw new DatasetError(
      `${folder} holds the split '${ownSplit}', not '${split}' (dataset.split)`,
      'dataset.split',
    );
  }
  for (const file of dataFiles(state, chosen, field)) yield* readArrowRows(file);
}

async function splitsOf(folder: string, field: string): Promise<string[] | null> {
  const dictionary = await readObject(join(folder, 'dataset_dict.json'), field);
  if (dictionary === null) return null;
  const splits = dictionary.splits;
  if (Array.isArray(splits)) return splits.filter((split) => typeof split === 'string');
  throw new DatasetError(`${join(folder, 'dataset_dict.json')} (${field}) has no list of splits`, field);
}

function chooseSplit(splits: string[], wanted: string | null, folder: string): string {
  const [only] = splits;
  if (wanted === null && splits.length === 1 && only !== undefined) return only;
  if (wanted !== null && splits.includes(wanted)) return wanted;
  const fault = wanted === null ? 'needs a split' : `has no split '${wanted}'`;
  throw new DatasetError(
    `${folder} ${fault} (dataset.split); there are: ${splits.join(', ')}`,
    'dataset.split',
  );
}

function dataFiles(state: DatasetRow, folder: string, field: string): string[] {
  const indices = state._indices_data_files;
  if (Array.isArray(indices) && indices.length > 0) {
    throw new DatasetError(
      `${folder} (${field}) keeps a selection of its rows in a separate index (_indices_data_files), which is not read here: in Python, dataset.flatten_indices().save_to_disk(…) writes it plainly`,
      field,
    );
  }
  const files = Array.isArray(state._data_files) ? state._data_files : [];
  return files.map((file) => {
    const name = isRow(file) ? file.filename : undefined;
    if (typeof name === 'string' && isRow(file) && !file.skip && !file.take) return join(folder, name);
    throw new DatasetError(
      `${join(folder, 'state.json')} (${field}) lists a data file in a form that is not read here: load and save it again with a current version of datasets`,
      field,
    );
  });
}

/** Reads the JSON object in a file; `null` where there is no file. */
async function readObject(path: string, field: string): Promise<DatasetRow | null> {
  if (!(await exists(path))) return null;
  let value: Json;
  try {
    value = JSON.parse(await readFile(path, 'utf8')) as Json;
  } catch (error) {
    throw new DatasetError(
      `${path} (${field}) is no JSON: ${quotable(reasonOf(error), jsonFault(error))}`,
      field,
      { cause: error },
    );
  }
  if (isRow(value)) return value;
  throw new DatasetError(`${path} (${field}) must hold an object`, field);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
