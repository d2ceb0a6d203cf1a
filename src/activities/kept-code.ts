import { existsSync } from 'node:fs';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import { codeHashes } from './code-changes.js';

/** Texts of users' code that outlast a worker. */
export interface KeptCode {
  /** Does nothing where they cannot be kept. */
  keep(texts: Iterable<Uint8Array>): Promise<void>;
  /** @param hash SHA-256, in hexadecimal digits */
  text(hash: string): string | undefined;
}

/**
 * The code that an experiment began with, or was continued with; undefined where not all of it is kept here, or where one
 * of its files is gone, which nothing can be loaded in the place of.
 */
export async function codeBegunWith(
  store: ArtifactStore,
  kept: KeptCode | undefined,
): Promise<CodeTexts | undefined> {
  if (kept === undefined) return undefined;
  const texts = new Map<string, string>();
  for (const [path, hash] of await codeHashes(store)) {
    const text = kept.text(hash);
    if (text === undefined || !existsSync(path)) return undefined;
    texts.set(path, text);
  }
  return texts.size === 0 ? undefined : texts;
}
