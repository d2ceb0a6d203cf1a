import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatasetError, fileReadError, reasonOf } from './dataset-error.js';
import {
  type HubOptions,
  type HubResponse,
  hubEndpoint,
  hubToken,
  requestHub,
  throughEndpoint,
} from './hub-request.js';
import { readParquetRows } from './parquet-file.js';
import { type DatasetRow, isRow } from './row.js';

const FIELD = 'dataset.hf_name';
/** Beginning of the name of a split that the hub has converted only in part, since it is large. */
const PARTIAL = /^partial-/;
const DATASET_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;

/** A part of a dataset on the hub. */
export interface HubDataset {
  name: string;
  config: string | null;
  split: string | null;
}

/** Addresses of parquet files by configuration and split. */
type Listing = Record<string, Record<string, string[]>>;

/** Cache record of an address: its content at the last download. */
interface CacheEntry {
  url: string;
  etag: string | null;
  file: string;
  bytes: number;
}

const ENTRY_FILE = 'latest.json';

/** Returns the folder `datasets` of `REPRISE_CACHE_DIR`, `XDG_CACHE_HOME/reprise` or `~/.cache/reprise`. */
function datasetCacheFolder(environment: HubOptions['environment']): string {
  const base =
    environment.REPRISE_CACHE_DIR ||
    join(environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache'), 'reprise');
  return join(base, 'datasets');
}

/**
 * Returns the path of a local copy of an address's content. The ETag is requested every time, and the content is
 * downloaded only when the ETag is new. With `HF_HUB_OFFLINE=1` nothing is requested and the last copy is used.
 * @param check throws where the response is a refusal (401, 403, 404).
 */
async function cachedDownload(
  url: string,
  options: HubOptions,
  check: (response: Response) => Promise<void>,
): Promise<string> {
  const folder = join(datasetCacheFolder(options.environment), sha256(url).slice(0, 32));
  const entry = await readEntry(folder);
  if (isOffline(options.environment)) {
    if (entry !== null) return join(folder, entry.file);
    throw new DatasetError(
      `${url} (dataset.hf_name) is not in the cache ${folder}, and HF_HUB_OFFLINE forbids to download it`,
      'dataset.hf_name',
    );
  }
  return requestHub(url, options, entry?.etag ?? null, async (answer) => {
    if (entry !== null && answer.unchanged) return join(folder, entry.file);
    await check(answer.response);
    try {
      return await download(url, folder, answer);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (!/^E(NOSPC|DQUOT|ACCES|PERM|ROFS|EXIST|NOTDIR)$/.test(code)) throw error;
      throw new DatasetError(
        `cannot keep ${url} in ${folder}: ${reasonOf(error)}; REPRISE_CACHE_DIR can name another folder`,
        'dataset.hf_name',
        { cause: error, retryable: code === 'ENOSPC' || code === 'EDQUOT' },
      );
    }
  });
}

function isOffline(environment: HubOptions['environment']): boolean {
  return /^(1|on|yes|true)$/i.test(environment.HF_HUB_OFFLINE ?? '');
}

/** Writes a body to a temporary file and renames it: the cache never contains half a file. */
async function download(url: string, folder: string, answer: HubResponse): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = `${sha256(answer.etag ?? 'no etag').slice(0, 16)}.data`;
  const temporary = join(folder, `.${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const bytes = await writeBody(temporary, answer);
    await rename(temporary, join(folder, file));
    const entry: CacheEntry = { url, etag: answer.etag, file, bytes };
    await writeFile(temporary, JSON.stringify(entry));
    await rename(temporary, join(folder, ENTRY_FILE));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  return join(folder, file);
}

/** Writes a body. `fetch` itself throws where it ends before its Content-Length. */
async function writeBody(path: string, answer: HubResponse): Promise<number> {
  const { response, keepAlive } = answer;
  const handle = await open(path, 'wx');
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      keepAlive();
      await handle.writeFile(chunk);
      bytes += chunk.byteLength;
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
  return bytes;
}

/** Returns the entry of a folder whose file is complete, otherwise null. */
async function readEntry(folder: string): Promise<CacheEntry | null> {
  try {
    const entry = JSON.parse(await readFile(join(folder, ENTRY_FILE), 'utf8')) as CacheEntry;
    const { size } = await stat(join(folder, entry.file));
    return size === entry.bytes ? entry : null;
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Reads the rows of a dataset on the Hugging Face hub, from the parquet files that the hub offers for every dataset it
 * can convert (https://huggingface.co/docs/dataset-viewer/parquet). A file is downloaded when its first row is needed.
 */
export async function* readHubRows(dataset: HubDataset, options: HubOptions): AsyncGenerator<DatasetRow> {
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
  const { name, split } = dataset;
  if (split !== null && PARTIAL.test(split))
    options.notify?.(
      `${name} (${FIELD}): ${split} (dataset.split) is the first part of a split, all that the hub has converted of it; the rest is no sample.`,
    );
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
  const [only = ''] = names.length === 1 ? names : [];
  // A part of a split is read only where it is named.
  const files = splits[split ?? (PARTIAL.test(only) ? '' : only)];
  if (files === undefined) {
    const fault = split === null ? 'needs a split' : `has no split '${split}'`;
    throw new DatasetError(
      `${name} ${fault} (dataset.split); there are: ${names.join(', ') || 'none'}${splitHint(split, names)}`,
      'dataset.split',
    );
  }
  return files;
}

function splitHint(split: string | null, names: readonly string[]): string {
  if (split?.includes('[')) return '; for a part of a split use dataset.select.range';
  const part = names.find((name) => PARTIAL.test(name));
  if (part === undefined) return '';
  return `; dataset.split: ${part} reads the first part of that split, all that the hub has converted of it; its own files can be downloaded for dataset.dataset_path`;
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
