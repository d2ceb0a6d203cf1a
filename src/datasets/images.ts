import { DatasetError } from './dataset-error.js';
import { requiredValue, typeOf } from './fields.js';
import { type Cell, type DatasetRow, isRow } from './row.js';

/** Where an image of a row is: in a file, at an address, or in the row, in base64. */
export type ImageSource = { path: string } | { url: string } | { base64: string };

const FIELD = 'dataset.image_field';

/** Fields of an image's object with its content or its place, as the hub, chat APIs and Inspect write them. */
const PLACES = ['bytes', 'path', 'src', 'url', 'image_url', 'image', 'file_name'] as const;

/**
 * Reads the images at a field of a row: one or a list of them, none for null.
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

/** Reads an image, or a list of them. @param refuse throws for a value that is none */
export function imagesIn(value: Cell, refuse: (what: string) => never): ImageSource[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => imagesIn(one, refuse));
  if (typeof value === 'string') return [imageAt(value, refuse)];
  if (!isRow(value)) return refuse(typeOf(value));
  for (const place of PLACES) {
    const found = value[place];
    if (found === undefined || found === null || found === '') continue;
    if (place === 'bytes' && typeof found === 'string') return [{ base64: found }];
    return imagesIn(found, refuse);
  }
  return refuse(`an object of ${Object.keys(value).join(', ') || 'nothing'}`);
}

function imageAt(text: string, refuse: (what: string) => never): ImageSource {
  if (/^https?:\/\//i.test(text)) return { url: text };
  if (!/^data:/i.test(text)) return text.trim() === '' ? refuse('an empty text') : { path: text };
  const [, base64] = /^data:[^,]*;base64,(.*)$/is.exec(text) ?? [];
  return base64 === undefined ? refuse('a data URI that is not in base64') : { base64 };
}
