import type { Readable } from 'node:stream';
import { checkFile } from '../config/named-files.js';
import { isRemote, resolveLocation } from '../config/paths.js';
import type { ArtifactStore } from '../storage/artifact-store.js';

export type OpenStore = (uriOrPath: string) => ArtifactStore;

/** Splits a file's full address into a store and a key. */
export function locate(openStore: OpenStore, address: string): { store: ArtifactStore; key: string } {
  const slash = Math.max(address.lastIndexOf('/'), address.lastIndexOf('\\'));
  return { store: openStore(slash < 1 ? '/' : address.slice(0, slash)), key: address.slice(slash + 1) };
}

/** Opens a file by its full address; null if there is none. @throws NotPermittedError */
export function locatedFiles(openStore: OpenStore): (address: string) => Promise<Readable | null> {
  return async (address) => {
    const place = resolveLocation(address, process.cwd());
    if (!isRemote(place)) checkFile('lm.recording', place);
    const { store, key } = locate(openStore, address);
    return store.openRead(key);
  };
}
