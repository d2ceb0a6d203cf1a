import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageReference } from '../../../contracts/language-model.js';
import { DatasetError } from '../../../datasets/dataset-error.js';
import type { ImageSource } from '../../../datasets/images.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { imageTypeOf } from '../../../trajectories/image-types.js';

/** Maximum bytes of an image, which is what providers take at most. */
const MAX_MEGABYTES = 20;
const TRIES = 3;
const TRY_MS = 60_000;

const FIELD = 'dataset.image_field';

/** Extensions of the types that providers take. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** What the images of a dataset are read with. */
export interface ImageReading {
  /** Folder of relative paths. */
  folder: string;
  /** Folder of the experiment; absent: images are only looked for, and those at addresses not even that. */
  store?: ArtifactStore | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Reads the images of a task, and stores them by their content.
 * @param id of the task
 * @throws DatasetError that names the task and the image.
 */
export function storedImages(
  id: string,
  sources: readonly ImageSource[],
  reading: ImageReading,
): Promise<ImageReference[]> {
  const isRead = (source: ImageSource) => reading.store !== undefined || !('url' in source);
  return Promise.all(sources.filter(isRead).map((source) => storedImage(id, source, reading)));
}

async function storedImage(id: string, source: ImageSource, reading: ImageReading): Promise<ImageReference> {
  const named = 'base64' in source ? 'its image' : `the image ${'url' in source ? source.url : source.path}`;
  const refuse = (fault: string) => new DatasetError(`sample ${id} (${FIELD}): ${named} ${fault}`, FIELD);
  const bytes = await bytesOf(source, reading).catch((error: unknown) => {
    if (reading.signal?.aborted) throw error;
    throw refuse(`cannot be read: ${(error as Error).message}`);
  });
  if (bytes.length > MAX_MEGABYTES * 1024 * 1024) throw refuse(`has more than ${MAX_MEGABYTES} MB`);
  const media_type = imageTypeOf(bytes) ?? '';
  const extension = EXTENSIONS[media_type];
  if (extension === undefined) throw refuse('is no PNG, JPEG, GIF or WebP');
  const key = `images/${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
  if (reading.store !== undefined && !(await reading.store.exists(key)))
    await reading.store.write(key, bytes);
  return { key, media_type };
}

function bytesOf(source: ImageSource, { folder, signal }: ImageReading): Promise<Buffer> {
  if ('path' in source) return readFile(resolve(folder, source.path));
  if ('url' in source) return downloaded(source.url, signal);
  return Promise.resolve(Buffer.from(source.base64, 'base64'));
}

async function downloaded(url: string, signal: AbortSignal | undefined): Promise<Buffer> {
  for (let tried = 1; ; tried += 1) {
    const ended = AbortSignal.any([AbortSignal.timeout(TRY_MS), ...(signal === undefined ? [] : [signal])]);
    try {
      const answer = await fetch(url, { signal: ended, headers: { accept: 'image/*' } });
      if (answer.ok) return Buffer.from(await answer.arrayBuffer());
      if (answer.status < 500 && answer.status !== 429)
        throw new RefusedDownload(`the server answers ${answer.status}`);
      throw new Error(`the server answers ${answer.status}`);
    } catch (error) {
      if (signal?.aborted || tried === TRIES || error instanceof RefusedDownload) throw error;
      await sleep(1000 * tried, undefined, { signal });
    }
  }
}

/** A download that is refused for good. */
class RefusedDownload extends Error {}
