import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatasetError, reasonOf } from './dataset-error.js';
import { type HubOptions, type HubResponse, requestHub } from './hub-request.js';

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
export async function cachedDownload(
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
