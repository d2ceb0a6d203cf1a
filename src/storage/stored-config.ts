import { Document, parse } from 'yaml';
import { isMapping } from '../contracts/json.js';
import type { ArtifactStore } from './artifact-store.js';
import { artifactKeys } from './paths.js';
import { damagedFile } from './stored-file.js';

/** YAML's own marks of a document's beginning and end: half a config may well be a config. */
const BEGINNING = '---\n';
const END = '...\n';

const WAY_OUT = 'Put the file back, or move the folder away to begin anew';

/**
 * Writes the config that an experiment's folder is prepared with.
 * @param means sentences at its head, of what it comes to
 */
export async function writeStoredConfig(
  store: ArtifactStore,
  config: object,
  means: readonly string[] = [],
): Promise<void> {
  const document = new Document(config);
  if (means.length > 0) document.commentBefore = means.map((sentence) => ` ${sentence}`).join('\n');
  await store.write(artifactKeys.config, `${BEGINNING}${document.toString()}${END}`);
}

/**
 * The config that an experiment’s folder was prepared with; null where there is none. One that somebody has written has no
 * end by which they could be known to be whole.
 * @throws StorageError where it is not as it was written. Quotes nothing of it.
 */
export async function readStoredConfig(store: ArtifactStore): Promise<Record<string, unknown> | null> {
  const text = await store.readText(artifactKeys.config);
  if (text === null) return null;
  const damaged = (fault: string, cause?: unknown) =>
    damagedFile(store, artifactKeys.config, fault, { wayOut: WAY_OUT, cause });
  if (text.startsWith(BEGINNING) && !text.endsWith(END)) throw damaged('it ends too early');
  let config: unknown;
  try {
    config = parse(text, { prettyErrors: false });
  } catch (error) {
    throw damaged('it is not valid YAML', error);
  }
  if (!isMapping(config)) throw damaged('it holds no config');
  return config;
}
