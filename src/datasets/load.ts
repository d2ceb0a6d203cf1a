import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { readArrowRows } from './arrow-file.js';
import { DatasetError, fileReadError } from './dataset-error.js';
import { readDelimitedRows } from './delimited-files.js';
import { readHubRows } from './hub.js';
import type { HubOptions } from './hub-request.js';
import { readJsonLinesRows, readJsonRows, withoutSplits } from './json-files.js';
import { readParquetRows } from './parquet-file.js';
import { type DatasetRow, isRow, toJson } from './row.js';
import { readSavedDatasetRows } from './saved-dataset.js';
import { PACKED } from './text-blocks.js';

/** Source of rows: exactly one of `items`, `dataset_path` and `hf_name`. */
export interface DatasetSource {
  /** Inline rows. */
  items?: readonly unknown[] | null;
  /** A file (.jsonl, .ndjson, .json, .csv, .tsv, each also as .gz, .parquet, .arrow) or a `save_to_disk` folder. */
  dataset_path?: string | null;
  /** A dataset on the Hugging Face hub, such as `openai/gsm8k`. */
  hf_name?: string | null;
  /** The hub dataset's configuration. Default: the only one, or `default`. */
  config?: string | null;
  /** The split, of the hub, a folder or a .json file of splits. Default: the only one. */
  split?: string | null;
}

export interface LoadOptions {
  /** Variables such as HF_ENDPOINT, HF_TOKEN and REPRISE_CACHE_DIR. Defaults to `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Milliseconds before the first retry of a request to the hub, doubled for each further one. Default 1,000. */
  retryPauseMs?: number;
  /** Called with each failed attempt to reach the hub, and with null when it answers. */
  onUnreachable?: HubOptions['onUnreachable'];
  /** Receives a note where the source is a part of a dataset by its name. */
  notify?: HubOptions['notify'];
}

const PATH_FIELD = 'dataset.dataset_path';

/**
 * Reads a dataset's rows, streaming wherever the format allows it (all but .json).
 * @throws DatasetError that names the file, the place in it and the config's field.
 */
export async function* loadRows(
  source: DatasetSource,
  options: LoadOptions = {},
): AsyncGenerator<DatasetRow> {
  for await (const row of chooseReader(source, options)) {
    options.signal?.throwIfAborted();
    yield row;
  }
}

function chooseReader(source: DatasetSource, options: LoadOptions): AsyncIterable<DatasetRow> {
  const { items, dataset_path: path, hf_name: name } = source;
  const given = [items, path, name].filter((value) => value !== undefined && value !== null);
  if (given.length !== 1) {
    throw new DatasetError('dataset needs exactly one of items, dataset_path and hf_name', 'dataset');
  }
  if (source.config && !name) {
    throw new DatasetError(
      'dataset.config: only datasets of the hub (dataset.hf_name) have one; leave it out',
      'dataset.config',
    );
  }
  if (items && source.split) throw withoutSplits('a list of dataset.items');
  if (items) return inlineRows(items);
  if (path) {
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) throw noFile(path);
    return readPath(resolve(path), source.split ?? null, options);
  }
  if (name) {
    const request = { name, config: source.config ?? null, split: source.split ?? null };
    return readHubRows(request, { ...options, environment: options.environment ?? process.env });
  }
  throw new DatasetError('dataset: dataset_path and hf_name must not be empty', 'dataset');
}

async function* inlineRows(items: readonly unknown[]): AsyncGenerator<DatasetRow> {
  for (const [index, item] of items.entries()) {
    const row = toJson(item);
    if (!isRow(row)) {
      throw new DatasetError(`item ${index + 1} (dataset.items) is not an object`, 'dataset.items');
    }
    const rounded = Object.keys(row).find((name) => isUnsafe(row[name]));
    if (rounded !== undefined) {
      throw new DatasetError(
        `item ${index + 1} (dataset.items): '${rounded}' is ${row[rounded]}, a whole number beyond 2^53, which a number does not hold exactly; write it as a text, in quotes`,
        'dataset.items',
      );
    }
    yield row;
  }
}

/** Reports whether a number may have lost digits: the text of a parsed inline row is unknown. */
function isUnsafe(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Builds the error for an address instead of a file. */
function noFile(address: string): DatasetError {
  return new DatasetError(
    `${address} (${PATH_FIELD}) is an address, and a dataset is a file of this machine, or one of the hub (dataset.hf_name): download it first`,
    PATH_FIELD,
  );
}

/** Ending of the name of one of several files, as the hub and `datasets` write it. */
const SHARD = /-\d{5}-of-(\d{5})\.[\w.]+$/;

async function* readPath(
  path: string,
  split: string | null,
  { notify }: LoadOptions,
): AsyncGenerator<DatasetRow> {
  const files = Number(SHARD.exec(path)?.[1] ?? 1);
  if (files > 1)
    notify?.(
      `${path} (${PATH_FIELD}) is one file of ${files} by its name; what is in the others is no sample.`,
    );
  try {
    const status = await stat(path);
    yield* status.isDirectory() ? readSavedDatasetRows(path, split, PATH_FIELD) : readFileRows(path, split);
  } catch (error) {
    throw fileReadError(error, path, PATH_FIELD);
  }
}

/** Advice for common files that cannot be read, by ending. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  '.xlsx': 'save the sheet as .csv',
  '.xls': 'save the sheet as .csv',
  '.zip': 'unpack it first',
  '.zst': 'unpack it first (zstd -d)',
  '.bz2': 'unpack it first (bunzip2)',
  '.xz': 'unpack it first (unxz)',
  '.gz': 'unpack it first (gunzip)',
  '.yaml': 'put its rows under dataset.items',
  '.yml': 'put its rows under dataset.items',
};

function readFileRows(path: string, split: string | null): AsyncGenerator<DatasetRow> {
  const isPacked = PACKED.test(path);
  const ending = extname(path.replace(PACKED, '')).toLowerCase();
  if (split !== null && ending !== '.json') throw withoutSplits(path);
  switch (ending) {
    case '.jsonl':
    case '.ndjson':
      return readJsonLinesRows(path, PATH_FIELD);
    case '.json':
      return readJsonRows(path, PATH_FIELD, split);
    case '.csv':
      return readDelimitedRows(path, null, PATH_FIELD);
    case '.tsv':
      return readDelimitedRows(path, '\t', PATH_FIELD);
    case '.parquet':
      if (isPacked) break;
      return readParquetRows(path);
    case '.arrow':
      if (isPacked) break;
      return readArrowRows(path);
  }
  const wayOut = WAYS_OUT[extname(path).toLowerCase()];
  throw new DatasetError(
    `${path} (${PATH_FIELD}) has no known ending${wayOut === undefined ? '' : `: ${wayOut}`}; known are .jsonl, .ndjson, .json, .csv and .tsv, each also with .gz behind it, .parquet, .arrow, and folders that Hugging Face save_to_disk wrote`,
    PATH_FIELD,
  );
}
