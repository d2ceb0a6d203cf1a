import { constants, open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import type { ImageReader } from '../trajectories/images.js';

const MAXIMUM_REDIRECTS = 5;
/** Milliseconds for an image. */
const TIMEOUT_MS = 30_000;

function tooLarge(maximumBytes: number): Error {
  return new Error(`larger than ${maximumBytes} bytes`);
}

/** Reads the body of a response; stops as soon as it is too large. */
async function readBody(response: Response, maximumBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maximumBytes) throw tooLarge(maximumBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function fetchUrl(
  url: URL,
  { maximumBytes, allows }: { maximumBytes: number; allows: (url: URL) => boolean },
): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let target = url;
  for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects += 1) {
    // Redirects are followed by hand, so that each host is checked.
    const response = await fetch(target, { redirect: 'manual', credentials: 'omit', signal });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      target = new URL(location, target);
      if (!allows(target)) throw new Error(`redirected to ${target.host}, where images may not come from`);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`status ${response.status}`);
    }
    return readBody(response, maximumBytes);
  }
  throw new Error(`more than ${MAXIMUM_REDIRECTS} redirects`);
}

function liesIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function readFile(
  path: string,
  { maximumBytes, folders }: { maximumBytes: number; folders: readonly string[] },
): Promise<Uint8Array> {
  const real = await realpath(path);
  // A missing folder contains nothing, and does not affect the others.
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  if (!roots.some((folder) => folder !== null && liesIn(real, folder))) {
    throw new Error('the file does not lie in a folder that may be read');
  }
  // A blocking open of a pipe without a writer would occupy one of Node's few threads for file access.
  const file = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const about = await file.stat();
    if (!about.isFile()) throw new Error('not a file');
    if (about.size > maximumBytes) throw tooLarge(maximumBytes);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Reader of images from the web and from this machine for `Chat.extractImages`, within its limits. */
export const imageReader: ImageReader = { fetchUrl, readFile };
