import { artifactsOf, executionOf } from '../contracts/experiment.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { GuardedStore } from '../storage/guarded-store.js';
import { ownerEndedKey, ownerKey, ownerNumber, ownerSignKey, ownersPrefix } from '../storage/paths.js';
import { keysBelow } from '../storage/read-ahead.js';
import { StorageError } from '../storage/storage-error.js';
import { readJson } from '../storage/stored-file.js';
import type { OpenStore } from './locate.js';

/** Execution that may write to an experiment's folder, as in `owners/<n>.json`. */
export interface Owner {
  execution: string;
  workflow_id: string;
  /** Distinguishes the workflows of different Temporal servers. */
  namespace_id: string;
}

export interface Ownership {
  /** Number of the owner's object; the highest one is the owner. */
  number: number;
  owner: Owner;
  /** True if the owner has made its last write. */
  hasEnded: boolean;
}

/** Milliseconds between an owner's signs of life. */
export const SIGN_EVERY = 5000;
/** Milliseconds for which a check of the owner is valid for small objects. */
const KNOWN_FOR = 5000;

/** Returns who may write to a folder; null if it has no owner, as in folders from before there were owners. */
export async function ownershipOf(store: ArtifactStore): Promise<Ownership | null> {
  const keys = await keysBelow(store, ownersPrefix());
  const number = Math.max(0, ...keys.map(ownerNumber));
  const owner = number === 0 ? null : await readJson<Owner>(store, ownerKey(number));
  if (owner === null) return null;
  return { number, owner, hasEnded: keys.includes(ownerEndedKey(number)) };
}

/** Checks whether one execution may write to a folder. */
class OwnWrites {
  /** Time until which the last check is valid, by `Date.now()`. */
  private knownUntil = 0;

  constructor(
    private readonly store: ArtifactStore,
    private readonly execution: string,
  ) {}

  /** Checks the owner. @throws StorageError (final) if the folder belongs to another execution. */
  readonly assert = async (change: 'small' | 'large'): Promise<void> => {
    if (change === 'small' && Date.now() < this.knownUntil) return;
    const there = await ownershipOf(this.store);
    if (there !== null && !there.owner.execution.endsWith(this.execution)) {
      throw takenOver(this.store.uri, there.owner);
    }
    this.knownUntil = Date.now() + KNOWN_FOR;
  };
}

function takenOver(uri: string, { workflow_id, execution }: Owner): StorageError {
  return new StorageError({
    message: `${uri} was taken over by the workflow '${workflow_id}' (execution ${execution}), which continues with it; this one has stopped`,
    uri,
    key: null,
    code: 'TakenOver',
    retryable: false,
  });
}

/** Returns a folder as one execution may write to it, until another one takes it over. */
export function ownStore(store: ArtifactStore, execution: string): ArtifactStore {
  return new GuardedStore(store, new OwnWrites(store, execution).assert);
}

/**
 * Returns the folder of a run as its execution may write to it; see `runReference`. Without an execution it is not
 * guarded.
 */
export function storeOfRun(openStore: OpenStore, run: string): ArtifactStore {
  const address = artifactsOf(run);
  const store = openStore(address);
  return run === address ? store : ownStore(store, executionOf(run));
}

/** Writes a sign of life of an execution, unless it has ended or lost its folder. */
export async function giveSign(store: ArtifactStore, execution: string, sign: string): Promise<void> {
  const there = await ownershipOf(store);
  if (there === null || there.hasEnded || !there.owner.execution.endsWith(execution)) return;
  await store.write(ownerSignKey(there.number), sign);
}

/** Notes that an execution has made its last write, so that nobody waits for it. */
export async function noteEnd(store: ArtifactStore, execution: string): Promise<void> {
  const there = await ownershipOf(store);
  if (there === null || !there.owner.execution.endsWith(execution)) return;
  await store.write(ownerEndedKey(there.number), '{}', { ifAbsent: true });
  await store.delete([ownerSignKey(there.number)]);
}
