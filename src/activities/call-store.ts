import type { StepAnswer } from '../contracts/activities.js';
import type { CallIdentity, CallRecord } from '../contracts/language-model.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callKey } from '../storage/paths.js';
import { identityHash } from './call-key.js';
import { Lru } from './lru.js';

/** Records kept in memory for the part that will soon list them. */
const REMEMBERED = 512;

/** An answered call and, where it acted on a built-in environment, what that said. */
export interface StoredCall {
  record: CallRecord;
  answer: StepAnswer | null;
}

/**
 * A run's answered calls, one object each, from the reply until the run is done. This is what makes a finished call
 * survive: a second attempt, or a later execution, looks here before it asks the provider.
 */
export class CallStore {
  private readonly recent = new Lru<string, StoredCall>(REMEMBERED);

  constructor(private readonly store: ArtifactStore) {}

  async save(call: StoredCall): Promise<void> {
    const name = identityHash(call.record);
    await this.store.write(callKey(name), JSON.stringify(call));
    this.recent.set(name, call);
  }

  /** Stores a call where its place is free; answers what is there then. Of two workers that asked, one is heard. */
  async keep(call: StoredCall): Promise<StoredCall> {
    const name = identityHash(call.record);
    const isFirst = await this.store.write(callKey(name), JSON.stringify(call), { ifAbsent: true });
    const kept = isFirst ? call : ((await this.at(call.record)) ?? call);
    this.recent.set(name, kept);
    return kept;
  }

  /** The record at a call's place, whatever it was asked; null where there is none. */
  async at(call: CallIdentity): Promise<StoredCall | null> {
    const name = identityHash(call);
    const recent = this.recent.get(name);
    if (recent !== undefined) return recent;
    const text = await this.store.readText(callKey(name));
    return text === null ? null : (JSON.parse(text) as StoredCall);
  }

  /** The record of exactly this call: same place, same key. */
  async find(call: CallIdentity, key: string): Promise<StoredCall | null> {
    const stored = await this.at(call);
    return stored?.record.key === key ? stored : null;
  }
}
