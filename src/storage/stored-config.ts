import { Document, parse } from 'yaml';
import { isMapping } from '../contracts/json.js';
import type { ArtifactStore } from './artifact-store.js';
import { artifactKeys } from './paths.js';
import { damagedFile } from './stored-file.js';

/** YAML's marks of the beginning and end of a document: a truncated config may be a valid config. */
const BEGINNING = '---\n';
const END = '...\n';

const WAY_OUT = 'Put the file back, or move the folder away to begin anew';

/**
 * Writes the config of an experiment's folder.
 * @param means sentences for a comment at its head, about the effects of the config
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
 * Reads the config of an experiment’s folder; null where there is none. Completeness is checked by the end mark, which
 * files written by a person lack.
 * @throws StorageError where it is damaged. The message quotes nothing of it.
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
