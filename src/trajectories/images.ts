import { imageTypeOf } from './image-types.js';
import { type AnyImagePart, imagePartsOf, imageSource, type Message } from './message.js';

/** Reader of images outside of the chat. Rejects where it cannot read one; the message is reported as the reason. */
export interface ImageReader {
  /**
   * Fetches the body of an http or https URL, without any credentials. Follows no redirect to a URL that `allows`
   * refuses, and stops reading beyond `maximumBytes`.
   */
  fetchUrl(url: URL, limits: { maximumBytes: number; allows: (url: URL) => boolean }): Promise<Uint8Array>;
  /**
   * Reads a file. Refuses one that is not in one of the folders after links are resolved, and one that is larger than
   * `maximumBytes`.
   */
  readFile(path: string, limits: { maximumBytes: number; folders: readonly string[] }): Promise<Uint8Array>;
}

/** Limits of reading images for a chat, which a model or a dataset may have written. Default: nothing outside. */
export interface ImageLimits {
  /** Maximum bytes of one image, decoded from base64. Default 20 MiB. */
  maximumBytes?: number;
  /** Maximum number of images of one chat. Default 100. */
  maximumImages?: number;
  /** Hosts from which images are fetched: `images.example.org`, or `*.example.org` for every host below it. */
  hosts?: readonly string[];
  /** Folders from which files are read, as absolute paths. */
  folders?: readonly string[];
}

export interface ExtractedImage {
  bytes: Uint8Array;
  /** Type by the first bytes: `image/png`, `image/jpeg`, `image/gif`, `image/webp`, `image/bmp` or `image/tiff`. */
  media_type: string;
  /** The URL or path in the chat. */
  source: string;
  /** Position of the message in the chat. */
  message: number;
}

/** An image that was not read, and the reason; only the beginning of a data URL is included. */
export interface RefusedImage {
  source: string;
  message: number;
  reason: string;
}

export interface ExtractedImages {
  images: ExtractedImage[];
  refused: RefusedImage[];
}

/** Reader that refuses everything; images in the chat itself need no reader. */
const NOBODY: ImageReader = {
  fetchUrl: () => Promise.reject(new Error('nobody is there to fetch it: give a reader')),
  readFile: () => Promise.reject(new Error('nobody is there to read it: give a reader')),
};

let ownReader = NOBODY;

/** Sets the default reader of images: in Node.js, the package does. */
export function setImageReader(reader: ImageReader): void {
  ownReader = reader;
}

/** Sorts the arguments of `Chat.extractImages`: a reader or none, and limits or none. */
export function readerAndLimits(
  first: ImageReader | ImageLimits | undefined,
  second: ImageLimits = {},
): [ImageReader, ImageLimits] {
  if (first !== undefined && 'fetchUrl' in first) return [first, second];
  return [ownReader, first ?? second];
}

const DEFAULT_MAXIMUM_BYTES = 20 * 1024 * 1024;
const DEFAULT_MAXIMUM_IMAGES = 100;
const REPORTED_CHARACTERS = 200;

/** Reports whether a URL's host is listed. A URL with a user name or password is never allowed. */
export function isAllowedUrl(url: URL, hosts: readonly string[]): boolean {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  if (url.username !== '' || url.password !== '') return false;
  return hosts.some((host) =>
    host.startsWith('*.')
      ? url.hostname.endsWith(host.slice(1).toLowerCase())
      : url.hostname === host.toLowerCase(),
  );
}

/** Decodes the bytes of a base64 data URL. */
export function decodeDataUrl(source: string, maximumBytes: number): Uint8Array {
  const comma = source.indexOf(',');
  if (comma < 0 || !/;base64$/i.test(source.slice(0, comma))) throw new Error('the data URL is not base64');
  const encoded = source.slice(comma + 1);
  // Checked before decoding: three bytes are four characters, of which two may be padding.
  if ((encoded.length / 4) * 3 - 2 > maximumBytes) throw new Error(`larger than ${maximumBytes} bytes`);
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch {
    throw new Error('the data URL is not valid base64');
  }
}

async function load(source: string, reader: ImageReader, limits: ImageLimits): Promise<Uint8Array> {
  const { maximumBytes = DEFAULT_MAXIMUM_BYTES, hosts = [], folders = [] } = limits;
  if (/^data:/i.test(source)) return decodeDataUrl(source, maximumBytes);
  if (/^https?:/i.test(source)) {
    const url = new URL(source);
    const allows = (target: URL) => isAllowedUrl(target, hosts);
    if (!allows(url)) throw new Error(`host ${url.hostname} is not among those that images may come from`);
    return reader.fetchUrl(url, { maximumBytes, allows });
  }
  // A scheme has more than one letter; one letter is a Windows drive.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(source)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'file') throw new Error(`${scheme}: URLs are not read`);
  if (folders.length === 0) throw new Error('no folder is given that files may be read from');
  return reader.readFile(filePathOf(source), { maximumBytes, folders });
}

/** Returns the path of a file URL; a path unchanged. */
export function filePathOf(source: string): string {
  if (!/^file:/i.test(source)) return source;
  const url = new URL(source);
  if (url.hostname !== '' && url.hostname !== 'localhost') throw new Error('the file is on another machine');
  const path = decodeURIComponent(url.pathname);
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
}

/** Reads one image. Rejects where it cannot or may not be read; the message is the reason, for people. */
export async function readImage(
  part: AnyImagePart,
  reader: ImageReader,
  limits: ImageLimits = {},
): Promise<Pick<ExtractedImage, 'bytes' | 'media_type'>> {
  if (part.type === 'image_file') throw new Error('a provider stores it under this id');
  const { maximumBytes = DEFAULT_MAXIMUM_BYTES } = limits;
  const bytes = await load(imageSource(part), reader, limits);
  if (bytes.length > maximumBytes) throw new Error(`larger than ${maximumBytes} bytes`);
  const media_type = imageTypeOf(bytes);
  if (media_type === null) throw new Error('not an image of a known format');
  return { bytes, media_type };
}

/**
 * Reads the images of messages one by one, in their order. An image that cannot or may not be read is reported with its
 * reason and left out; never rejects.
 */
export async function extractImages(
  messages: readonly Message[],
  reader: ImageReader,
  limits: ImageLimits = {},
): Promise<ExtractedImages> {
  const { maximumImages = DEFAULT_MAXIMUM_IMAGES } = limits;
  const found: ExtractedImages = { images: [], refused: [] };
  for (const [message, content] of messages.entries()) {
    for (const part of imagePartsOf(content)) {
      const source = imageSource(part);
      try {
        if (found.images.length >= maximumImages) throw new Error(`more than ${maximumImages} images`);
        found.images.push({ ...(await readImage(part, reader, limits)), source, message });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        found.refused.push({ source: source.slice(0, REPORTED_CHARACTERS), message, reason });
      }
    }
  }
  return found;
}
