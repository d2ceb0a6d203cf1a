import { DatasetError } from './dataset-error.js';
import { requiredValue, typeOf } from './fields.js';
import { type Cell, type DatasetRow, isRow } from './row.js';

/** Where an image of a row is: in a file, at an address, or in the row, in base64. */
export type ImageSource = { path: string } | { url: string } | { base64: string };

const FIELD = 'dataset.image_field';

/** Fields of an image's object with its content or its place, as the hub, chat APIs and Inspect write them. */
const PLACES = ['bytes', 'path', 'src', 'url', 'image_url', 'image', 'source', 'data', 'file_name'] as const;

/** What the base64 of a JPEG, PNG, GIF or WebP begins with. */
const BARE_BASE64 = /^(?:\/9j\/|iVBOR|R0lGOD|UklGR)[A-Za-z\d+/]{70}/;
/** Maximum characters of a path. */
const LONGEST_PATH = 4096;

/**
 * Reads the images at a field of a row: one or a list of them, none for null, an empty text and an object without one.
 * @throws DatasetError that names the row.
 */
export function imagesOfRow(row: DatasetRow, path: string, rowNumber: number): ImageSource[] {
  const value = requiredValue(row, path, FIELD, rowNumber);
  return imagesIn(value, (what) => {
    throw new DatasetError(
      `row ${rowNumber}: '${path}' (${FIELD}) is ${what}; an image is a path, an address, a data URI or an object with bytes, path or url`,
      FIELD,
    );
  });
}

/** Reads an image, or a list of them; an empty value is none. @param refuse throws for any other value */
export function imagesIn(value: Cell, refuse: (what: string) => never): ImageSource[] {
  if (isEmpty(value)) return [];
  if (Array.isArray(value)) return value.flatMap((one) => imagesIn(one, refuse));
  if (typeof value === 'string') return [imageAt(value, refuse)];
  if (!isRow(value)) return refuse(typeOf(value));
  for (const place of PLACES) {
    const found = placed(value, place);
    if (isEmpty(found)) continue;
    const isBase64 = place === 'bytes' || (place === 'data' && !/^data:/i.test(String(found)));
    if (isBase64 && typeof found === 'string') return [{ base64: found }];
    return imagesIn(found, refuse);
  }
  if (PLACES.some((place) => Object.hasOwn(value, place))) return [];
  return refuse(`an object of ${Object.keys(value).join(', ') || 'nothing'}`);
}

/** Returns what stands at a place; a source that is a text names where the image is from. */
function placed(value: DatasetRow, place: (typeof PLACES)[number]): Cell {
  const found = value[place] ?? null;
  return place === 'source' && typeof found === 'string' ? null : found;
}

const isEmpty = (value: Cell) => value === null || (typeof value === 'string' && value.trim() === '');

function imageAt(text: string, refuse: (what: string) => never): ImageSource {
  if (/^https?:\/\//i.test(text)) return { url: text };
  // A path has a full stop.
  if (BARE_BASE64.test(text) && !text.includes('.')) return { base64: text };
  if (!/^data:/i.test(text)) {
    if (text.length <= LONGEST_PATH) return { path: text };
    return refuse(
      `a text of ${text.length} characters, too long for a path (base64 wants data:image/jpeg;base64, before it)`,
    );
  }
  const [, base64] = /^data:[^,]*;base64,(.*)$/is.exec(text) ?? [];
  return base64 === undefined ? refuse('a data URI that is not in base64') : { base64 };
}
