import { LRUCache } from 'lru-cache';
import type { GenerateRequest } from '../contracts/language-model.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { missingFile } from '../storage/stored-file.js';

/** Maximum characters of images in memory: those of questions that are asked at the same time, or again and again. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Contents of the images of requests, read from the experiments' folders. */
export class RequestImages {
  private readonly read = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (content) => content.length + 1,
  });

  /** Returns a request with the contents of its messages' images. @throws StorageError if one is missing. */
  async in(store: ArtifactStore, request: GenerateRequest): Promise<GenerateRequest> {
    const keys = new Set(request.messages.flatMap(({ images = [] }) => images.map(({ key }) => key)));
    if (keys.size === 0) return request;
    const contents = await Promise.all([...keys].map(async (key) => [key, await this.content(store, key)]));
    return { ...request, images: Object.fromEntries(contents) };
  }

  private async content(store: ArtifactStore, key: string): Promise<string> {
    const place = `${store.uri}/${key}`;
    const known = this.read.get(place);
    if (known !== undefined) return known;
    const bytes = await store.read(key);
    if (bytes === null) throw missingFile(store, key);
    const content = Buffer.from(bytes).toString('base64');
    this.read.set(place, content);
    return content;
  }
}
