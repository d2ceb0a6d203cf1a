import { artifactsOf, executionOf } from '../contracts/experiment.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { GuardedStore } from '../storage/guarded-store.js';
import { ownerEndedKey, ownerKey, ownerNumber, ownerSignKey, ownersPrefix } from '../storage/paths.js';
import { keysBelow } from '../storage/read-ahead.js';
import { StorageError } from '../storage/storage-error.js';
import { readJson } from '../storage/stored-file.js';
import type { OpenStore } from './locate.js';

/** The execution that may write to an experiment's folder, as `owners/<n>.json` names it. */
export interface Owner {
  execution: string;
  workflow_id: string;
  /** Tells one Temporal server's workflows from another's. */
  namespace_id: string;
}

export interface Ownership {
  /** Of the owner's object; the highest one is the owner. */
  number: number;
  owner: Owner;
  /** It has written its last. */
  hasEnded: boolean;
}

/** Milliseconds between an owner's signs of life. */
export const SIGN_EVERY = 5000;
/** Milliseconds for which what was found out counts for a small object. */
const KNOWN_FOR = 5000;

/** Who may write to a folder; null where that was never said, as before there were owners. */
export async function ownershipOf(store: ArtifactStore): Promise<Ownership | null> {
  const keys = await keysBelow(store, ownersPrefix());
  const number = Math.max(0, ...keys.map(ownerNumber));
  const owner = number === 0 ? null : await readJson<Owner>(store, ownerKey(number));
  if (owner === null) return null;
  return { number, owner, hasEnded: keys.includes(ownerEndedKey(number)) };
}

/** What one execution knows of whether it may write to a folder. */
class OwnWrites {
  /** Until when, by `Date.now()`, it is known that the folder is its own. */
  private knownUntil = 0;

  constructor(
    private readonly store: ArtifactStore,
    private readonly execution: string,
  ) {}

  /** @throws StorageError (final) where the folder is another execution's. */
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
    message: `${uri} was taken over by the workflow '${workflow_id}' (execution ${execution}), which goes on with it; this one has stopped`,
    uri,
    key: null,
    code: 'TakenOver',
    retryable: false,
  });
}

/** A folder as one execution may write to it: as long as no other has taken it over. */
export function ownStore(store: ArtifactStore, execution: string): ArtifactStore {
  return new GuardedStore(store, new OwnWrites(store, execution).assert);
}

/** The folder of a run as its execution may write to it; see `runReference`. One that names no execution has all leave. */
export function storeOfRun(openStore: OpenStore, run: string): ArtifactStore {
  const address = artifactsOf(run);
  const store = openStore(address);
  return run === address ? store : ownStore(store, executionOf(run));
}

/** Gives a sign of life of an execution, unless it has ended or lost its folder. */
export async function giveSign(store: ArtifactStore, execution: string, sign: string): Promise<void> {
  const there = await ownershipOf(store);
  if (there === null || there.hasEnded || !there.owner.execution.endsWith(execution)) return;
  await store.write(ownerSignKey(there.number), sign);
}

/** Notes that an execution has written its last, so that nobody waits for it. */
export async function noteEnd(store: ArtifactStore, execution: string): Promise<void> {
  const there = await ownershipOf(store);
  if (there === null || !there.owner.execution.endsWith(execution)) return;
  await store.write(ownerEndedKey(there.number), '{}', { ifAbsent: true });
  await store.delete([ownerSignKey(there.number)]);
}
