import { isUtf8 } from 'node:buffer';
import { jsonFault } from '../contracts/json.js';
import type { ArtifactStore } from './artifact-store.js';
import { JsonLinesError, readJsonLines } from './json-lines.js';
import { StorageError } from './storage-error.js';

/** The part of a store that messages need. */
type Place = Pick<ArtifactStore, 'uri'>;

/** Codes of a {@link StorageError} for changes that somebody made to an experiment's folder. */
export const CHANGED = { missing: 'FileMissing', damaged: 'FileDamaged' } as const;

/** Builds the error for an experiment's missing file. @param what the missing file, a key by default */
export function missingFile({ uri }: Place, what: string, key: string | null = what): StorageError {
  return new StorageError({
    message: `${key === null ? `${uri}: ${what}` : `${uri}/${key}`} is missing: the experiment's folder was changed. Put it back, or give the same command again, which continues with what is there`,
    uri,
    key,
    code: CHANGED.missing,
    retryable: false,
  });
}

const WAY_OUT =
  'Put the file back, or remove it and give the same command again: what it held is asked for or made anew';

/** Builds the error for a damaged file that an experiment had written. */
export function damagedFile(
  { uri }: Place,
  key: string,
  fault: string,
  { wayOut = WAY_OUT, cause }: { wayOut?: string; cause?: unknown } = {},
): StorageError {
  return new StorageError({
    message: `${uri}/${key} is damaged: ${fault}. ${wayOut}`,
    uri,
    key,
    code: CHANGED.damaged,
    retryable: false,
    cause,
  });
}

/** @throws StorageError that names the file and quotes nothing of it. */
export function parseJson<Stored>(text: string, store: Place, key: string): Stored {
  try {
    return JSON.parse(text) as Stored;
  } catch (error) {
    throw damagedFile(store, key, jsonFault(error), { cause: error });
  }
}

/** Reads an object's JSON value; null where there is none. @throws StorageError where it is not JSON. */
export async function readJson<Stored>(store: ArtifactStore, key: string): Promise<Stored | null> {
  const text = await store.readText(key);
  return text === null ? null : parseJson<Stored>(text, store, key);
}

function damagedLine(store: Place, key: string, line: number, cause: unknown): StorageError {
  return damagedFile(store, key, `line ${line} is not as it was written`, { cause });
}

/** Reads the rows of an object that fits in memory. @throws StorageError as {@link readRows} does */
export async function readRowsAtOnce<Row>(store: ArtifactStore, key: string): Promise<Row[]> {
  const bytes = await store.read(key);
  if (bytes === null) throw missingFile(store, key);
  const text = new TextDecoder().decode(bytes);
  const isWhole = isUtf8(bytes);
  return text.split('\n').flatMap((line, index) => {
    if (line === '') return [];
    try {
      // Each wrong byte was decoded as this character.
      if (!isWhole && line.includes('\ufffd')) throw new Error('it is not UTF-8');
      return [JSON.parse(line) as Row];
    } catch (error) {
      throw damagedLine(store, key, index + 1, error);
    }
  });
}

/** Reads the rows of an object. @throws StorageError where it is missing, or a line is not JSON. */
export async function* readRows<Row>(store: ArtifactStore, key: string): AsyncGenerator<Row> {
  const stream = await store.openRead(key);
  if (stream === null) throw missingFile(store, key);
  try {
    yield* readJsonLines<Row>(stream, { name: key });
  } catch (error) {
    if (!(error instanceof JsonLinesError)) throw error;
    throw damagedLine(store, key, error.line, error);
  }
}
