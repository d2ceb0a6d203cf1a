import { readFile } from 'node:fs/promises';
import { DatasetError, fileReadError } from './dataset-error.js';
import { cachedDownload } from './hub-cache.js';
import { type HubOptions, hubEndpoint, hubToken, throughEndpoint } from './hub-request.js';
import { readParquetRows } from './parquet-file.js';
import { isRow, type Row } from './row.js';

const FIELD = 'dataset.hf_name';
const DATASET_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;

/** A part of a dataset on the hub. */
export interface HubDataset {
  name: string;
  config: string | null;
  split: string | null;
}

/** Addresses of parquet files by configuration and split. */
type Listing = Record<string, Record<string, string[]>>;

/**
 * Reads the rows of a dataset on the Hugging Face hub, from the parquet files that the hub offers for every dataset it
 * can convert (https://huggingface.co/docs/dataset-viewer/parquet). A file is downloaded when its first row is needed.
 */
export async function* readHubRows(dataset: HubDataset, options: HubOptions): AsyncGenerator<Row> {
  if (!DATASET_NAME.test(dataset.name)) {
    throw new DatasetError(
      `${JSON.stringify(dataset.name)} (${FIELD}) is no name of a dataset; write owner/name, such as openai/gsm8k`,
      FIELD,
    );
  }
  const check = (response: Response) => refuse(response, dataset.name, options);
  const endpoint = hubEndpoint(options.environment).href.replace(/\/$/, '');
  const listingPath = await cachedDownload(
    `${endpoint}/api/datasets/${dataset.name}/parquet`,
    options,
    check,
  );
  const listing = readListing(await readFile(listingPath, 'utf8'), dataset.name);
  for (const link of chooseFiles(listing, dataset)) {
    const path = await cachedDownload(throughEndpoint(link, options.environment), options, check);
    try {
      yield* readParquetRows(path);
    } catch (error) {
      throw fileReadError(error, `${path}, downloaded from ${link}`, FIELD);
    }
  }
}

function readListing(text: string, name: string): Listing {
  try {
    const value = JSON.parse(text) as unknown;
    if (isRow(value) && Object.values(value).every(isListOfSplits)) return value as unknown as Listing;
  } catch {
    // Reported below.
  }
  throw new DatasetError(
    `the hub's list of the parquet files of ${name} (${FIELD}) has an unknown form`,
    FIELD,
  );
}

function isListOfSplits(splits: unknown): boolean {
  return (
    isRow(splits) &&
    Object.values(splits).every(
      (files) =>
        Array.isArray(files) && files.every((file) => typeof file === 'string' && URL.canParse(file)),
    )
  );
}

function chooseFiles(listing: Listing, { name, config, split }: HubDataset): string[] {
  const configs = Object.keys(listing);
  const fallback = configs.length === 1 ? configs[0] : configs.find((key) => key === 'default');
  const splits = listing[config ?? fallback ?? ''];
  if (splits === undefined) {
    const fault = config === null ? 'needs a config' : `has no config '${config}'`;
    throw new DatasetError(
      `${name} ${fault} (dataset.config); there are: ${configs.join(', ') || 'none'}`,
      'dataset.config',
    );
  }
  const names = Object.keys(splits);
  const files = splits[split ?? (names.length === 1 ? (names[0] ?? '') : '')];
  if (files === undefined) {
    const fault = split === null ? 'needs a split' : `has no split '${split}'`;
    throw new DatasetError(
      `${name} ${fault} (dataset.split); there are: ${names.join(', ') || 'none'}${sliceHint(split)}`,
      'dataset.split',
    );
  }
  return files;
}

function sliceHint(split: string | null): string {
  return split?.includes('[') ? '; for a part of a split use dataset.select.range' : '';
}

/** Throws for a refusal of the hub, with advice for the user. */
async function refuse(response: Response, name: string, { environment }: HubOptions): Promise<void> {
  if (response.ok) return;
  const page = `${hubEndpoint(environment).origin}/datasets/${name}`;
  const hasToken = hubToken(environment) !== null;
  const gated = response.headers.get('x-error-code') === 'GatedRepo';
  const token = hasToken ? 'HF_TOKEN is not accepted for it: check the token and its rights' : 'set HF_TOKEN';
  const said = response.headers.get('x-error-message');
  const advice = gated
    ? `it is gated: accept its terms at ${page} with your account, and set HF_TOKEN to a token of that account`
    : ({
        401: `it does not exist, or it is private or gated: check the name at ${page}, and ${token}`,
        403: `your account may not read it: if it is gated, accept its terms at ${page}; ${token}`,
        404: `there is no such dataset, or the hub has no parquet files of it: look at ${page}`,
      }[response.status] ?? 'this answer is not known');
  throw new DatasetError(
    `the hub answered ${response.status} for ${name} (${FIELD}): ${advice}${said ? ` (the hub says: ${said})` : ''}`,
    FIELD,
  );
}
