import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { readArrowRows } from './arrow-file.js';
import { DatasetError, fileReadError } from './dataset-error.js';
import { readHubRows } from './hub.js';
import { readParquetRows } from './parquet-file.js';
import { isRow, type Row, toJson } from './row.js';
import { readSavedDatasetRows } from './saved-dataset.js';
import { readDelimitedRows, readJsonLinesRows, readJsonRows } from './text-files.js';

/** Where rows come from: exactly one of `items`, `dataset_path` and `hf_name`. */
export interface DatasetSource {
  /** Inline rows. */
  items?: readonly unknown[] | null;
  /** A file (.jsonl, .ndjson, .json, .csv, .tsv, .parquet, .arrow) or a folder that `save_to_disk` wrote. */
  dataset_path?: string | null;
  /** A dataset of the Hugging Face hub, such as `openai/gsm8k`. */
  hf_name?: string | null;
  /** The hub dataset's configuration. Default: the only one, or `default`. */
  config?: string | null;
  /** The split. Default: the only one. */
  split?: string | null;
}

export interface LoadOptions {
  /** Variables such as HF_ENDPOINT, HF_TOKEN and REPRISE_CACHE_DIR. Defaults to `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** The first pause between attempts to reach the hub, in milliseconds; each further one is twice as long. Default 1,000. */
  retryPauseMs?: number;
}

const PATH_FIELD = 'dataset.dataset_path';

/**
 * Reads a dataset's rows, streaming wherever the format allows it (everything but .json).
 * @throws DatasetError that names the file, the place in it and the config's field.
 */
export async function* loadRows(source: DatasetSource, options: LoadOptions = {}): AsyncGenerator<Row> {
  for await (const row of chooseReader(source, options)) {
    options.signal?.throwIfAborted();
    yield row;
  }
}

function chooseReader(source: DatasetSource, options: LoadOptions): AsyncIterable<Row> {
  const { items, dataset_path: path, hf_name: name } = source;
  const given = [items, path, name].filter((value) => value !== undefined && value !== null);
  if (given.length !== 1) {
    throw new DatasetError('dataset needs exactly one of items, dataset_path and hf_name', 'dataset');
  }
  if (items) return inlineRows(items);
  if (path) return readPath(resolve(path), source.split ?? null);
  if (name) {
    const request = { name, config: source.config ?? null, split: source.split ?? null };
    return readHubRows(request, { ...options, environment: options.environment ?? process.env });
  }
  throw new DatasetError('dataset: dataset_path and hf_name must not be empty', 'dataset');
}

async function* inlineRows(items: readonly unknown[]): AsyncGenerator<Row> {
  for (const [index, item] of items.entries()) {
    const row = toJson(item);
    if (isRow(row)) yield row;
    else throw new DatasetError(`item ${index + 1} (dataset.items) is not an object`, 'dataset.items');
  }
}

async function* readPath(path: string, split: string | null): AsyncGenerator<Row> {
  try {
    const status = await stat(path);
    yield* status.isDirectory() ? readSavedDatasetRows(path, split, PATH_FIELD) : readFileRows(path);
  } catch (error) {
    throw fileReadError(error, path, PATH_FIELD);
  }
}

function readFileRows(path: string): AsyncGenerator<Row> {
  switch (extname(path).toLowerCase()) {
    case '.jsonl':
    case '.ndjson':
      return readJsonLinesRows(path, PATH_FIELD);
    case '.json':
      return readJsonRows(path, PATH_FIELD);
    case '.csv':
      return readDelimitedRows(path, ',', PATH_FIELD);
    case '.tsv':
      return readDelimitedRows(path, '\t', PATH_FIELD);
    case '.parquet':
      return readParquetRows(path);
    case '.arrow':
      return readArrowRows(path);
    default:
      throw new DatasetError(
        `${path} (${PATH_FIELD}) has no known ending; known are .jsonl, .ndjson, .json, .csv, .tsv, .parquet, .arrow, and folders that Hugging Face save_to_disk wrote`,
        PATH_FIELD,
      );
  }
}
