import { LRUCache } from 'lru-cache';
import type { StepAnswer } from '../contracts/environment.js';
import type { CallIdentity, CallRecord } from '../contracts/language-model.js';
import type { CutOffAttempts, StepCost } from '../contracts/step-cost.js';
import { cutOffOf, largerCutOff } from '../runtime/repeats.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callKey, paidCallsKey, stepAnswerKey } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { identityHash } from './call-key.js';
import { repeatedAtLeast } from './call-record.js';
import { keepFirst } from './first-record.js';
import { setAside } from './set-aside.js';

/** Records kept in memory, for the part that will soon list them. */
const REMEMBERED = 512;

/** Answered call, with the answer of a built-in environment if it acted on one. */
export interface StoredCall {
  record: CallRecord;
  answer: StepAnswer | null;
}

/** Calls that earlier executions of an experiment paid for, as read by the execution that continues them. */
export interface PaidCalls {
  execution: string;
  cost: StepCost;
  /** Time of each stored reply, by the hash of the call's identity. */
  calls: Record<string, string>;
}

/** Environment's answer that was stored after the reply it belongs to. */
interface LateAnswer {
  /** Key of the call. */
  key: string;
  answer: StepAnswer;
}

/** Returns the requests known besides the one that brought the kept reply, if another request brought its own reply. */
function beside(kept: CallRecord, own: CallRecord): CutOffAttempts {
  const cutOff = cutOffOf(own);
  // A person's reply has no usage: nothing was sent for it.
  const isOther = own.usage !== undefined && own.cached !== true && own.at !== kept.at;
  return isOther ? largerCutOff(cutOff, { crashes: 1, sent: 1 }) : cutOff;
}

/**
 * Answered calls of a run, one object each, kept from the reply until the run is done. Because of this a finished call
 * survives: a second attempt, or a later execution, looks here before it requests the provider. The first reply that is
 * stored is the one used, and so is the first answer to it, whoever else requested one.
 */
export class CallStore {
  private readonly recent = new LRUCache<string, StoredCall>({ max: REMEMBERED });

  /** Calls counted before the execution began; they do not change while it works. */
  private counted: Promise<PaidCalls | null> | undefined;

  constructor(private readonly store: ArtifactStore) {}

  /** Location of the records, for messages. */
  get uri(): string {
    return this.store.uri;
  }

  /** Stores a call, unless a reply to the same request is stored. @returns the call that is stored then. */
  save(call: StoredCall): Promise<StoredCall> {
    return this.keepFirst(call, ({ record }) => record.key);
  }

  /** Stores a call if its identity has none yet, whatever the request. @returns the call that is stored then. */
  keep(call: StoredCall): Promise<StoredCall> {
    return this.keepFirst(call, () => '');
  }

  private async keepFirst(call: StoredCall, keyOf: (call: StoredCall) => string): Promise<StoredCall> {
    const name = identityHash(call.record);
    const kept = await keepFirst(this.store, callKey(name), {
      record: call,
      keyOf,
      // The replaced reply was paid for, and stays among the calls.
      replaces: ({ record }) => setAside(this.store, { call: record, at: record.at }),
    });
    // The stored record cannot know of later requests.
    const counted = await this.countRepeated(kept, beside(kept.record, call.record));
    this.recent.set(name, counted);
    return counted;
  }

  /** Adds the known cut-off requests of a stored call to its record, if it counts fewer. */
  async countRepeated(stored: StoredCall, cutOff: CutOffAttempts): Promise<StoredCall> {
    const record = repeatedAtLeast(stored.record, cutOff);
    if (record === stored.record) return stored;
    const counted = { ...stored, record };
    const name = identityHash(record);
    await this.store.write(callKey(name), JSON.stringify(counted));
    this.recent.delete(name);
    return counted;
  }

  /** Reports whether the experiment's initial totals include this reply: an earlier execution paid for it. */
  async isCounted(record: CallRecord): Promise<boolean> {
    this.counted ??= readJson<PaidCalls>(this.store, paidCallsKey());
    try {
      return (await this.counted)?.calls[identityHash(record)] === record.at;
    } catch (error) {
      this.counted = undefined;
      throw error;
    }
  }

  /** Clears the memory: another worker may have counted more requests since. */
  forget(): void {
    this.recent.clear();
  }

  /** Stores the environment's answer to a stored call, unless there is one. @returns the answer that is stored then. */
  async keepAnswer(record: CallRecord, answer: StepAnswer): Promise<StepAnswer> {
    const { key } = record;
    const name = identityHash(record);
    const kept = await keepFirst<LateAnswer>(this.store, stepAnswerKey(name), {
      record: { key, answer },
      keyOf: (late) => late.key,
    });
    return kept.answer;
  }

  /** Returns the environment's answer to a stored call; null if there is none yet. */
  async answerTo({ record, answer }: StoredCall): Promise<StepAnswer | null> {
    if (answer !== null) return answer;
    const late = await readJson<LateAnswer>(this.store, stepAnswerKey(identityHash(record)));
    return late?.key === record.key ? late.answer : null;
  }

  /** Returns the record of a call's identity, whatever its request; null if there is none. */
  async at(call: CallIdentity): Promise<StoredCall | null> {
    const name = identityHash(call);
    const recent = this.recent.get(name);
    if (recent !== undefined) return recent;
    return readJson<StoredCall>(this.store, callKey(name));
  }

  /** Returns the record of exactly this call: same identity, same key. */
  async find(call: CallIdentity, key: string): Promise<StoredCall | null> {
    const stored = await this.at(call);
    return stored?.record.key === key ? stored : null;
  }
}
