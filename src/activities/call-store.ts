import type { StepAnswer } from '../contracts/environment.js';
import type { CallIdentity, CallRecord } from '../contracts/language-model.js';
import type { CutOff, StepCost } from '../contracts/step-cost.js';
import { cutOffOf, largerCutOff } from '../runtime/repeats.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callKey, paidCallsKey, stepAnswerKey } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { identityHash } from './call-key.js';
import { repeatedAtLeast } from './call-record.js';
import { keepFirst } from './first-record.js';
import { Lru } from './lru.js';
import { setAside } from './set-aside.js';

/** Records kept in memory for the part that will soon list them. */
const REMEMBERED = 512;

/** An answered call and, where it acted on a built-in environment, what that said. */
export interface StoredCall {
  record: CallRecord;
  answer: StepAnswer | null;
}

/** What earlier executions of an experiment have paid for, as the execution that continues them found it. */
export interface PaidCalls {
  execution: string;
  cost: StepCost;
  /** When each reply that lay at a call's place came, by the place's hash. */
  calls: Record<string, string>;
}

/** An environment's answer that came later than the reply it is to. */
interface LateAnswer {
  /** Of the call. */
  key: string;
  answer: StepAnswer;
}

/** What is known of requests beside the one that brought the reply that is kept, where another one has brought its own. */
function beside(kept: CallRecord, own: CallRecord): CutOff {
  const cutOff = cutOffOf(own);
  // A person's words have no usage: nothing was sent for them.
  const isOther = own.usage !== undefined && own.cached !== true && own.at !== kept.at;
  return isOther ? largerCutOff(cutOff, { crashes: 1, sent: 1 }) : cutOff;
}

/**
 * A run's answered calls, one object each, from the reply until the run is done. This is what makes a finished call
 * survive: a second attempt, or a later execution, looks here before it asks the provider. The first reply that is
 * stored is the reply, and the first answer to it the answer, whoever else has asked.
 */
export class CallStore {
  private readonly recent = new Lru<string, StoredCall>(REMEMBERED);

  /** What was counted before the execution began; it does not change while that works. */
  private counted: Promise<PaidCalls | null> | undefined;

  constructor(private readonly store: ArtifactStore) {}

  /** Where its records lie, for messages. */
  get uri(): string {
    return this.store.uri;
  }

  /** Stores a call, unless a reply to the same question is there. @returns what is kept at its place then. */
  save(call: StoredCall): Promise<StoredCall> {
    return this.keepFirst(call, ({ record }) => record.key);
  }

  /** Stores a call where its place is free, whatever was asked there. @returns what is kept at its place then. */
  keep(call: StoredCall): Promise<StoredCall> {
    return this.keepFirst(call, () => '');
  }

  private async keepFirst(call: StoredCall, keyOf: (call: StoredCall) => string): Promise<StoredCall> {
    const name = identityHash(call.record);
    const kept = await keepFirst(this.store, callKey(name), {
      record: call,
      keyOf,
      // It was paid, and stays among the calls.
      replaces: ({ record }) => setAside(this.store, { call: record, at: record.at }),
    });
    // Who came first cannot know that it was asked for again.
    const counted = await this.countRepeated(kept, beside(kept.record, call.record));
    this.recent.set(name, counted);
    return counted;
  }

  /** Notes what is known of requests for a stored call that were sent for nothing, where its record says less. */
  async countRepeated(stored: StoredCall, cutOff: CutOff): Promise<StoredCall> {
    const record = repeatedAtLeast(stored.record, cutOff);
    if (record === stored.record) return stored;
    const counted = { ...stored, record };
    const name = identityHash(record);
    await this.store.write(callKey(name), JSON.stringify(counted));
    this.recent.delete(name);
    return counted;
  }

  /** Whether the experiment's totals and limits began with this reply: an earlier execution has paid for it. */
  async isCounted(record: CallRecord): Promise<boolean> {
    this.counted ??= readJson<PaidCalls>(this.store, paidCallsKey());
    try {
      return (await this.counted)?.calls[identityHash(record)] === record.at;
    } catch (error) {
      this.counted = undefined;
      throw error;
    }
  }

  /** Forgets what it has seen: another worker may have counted more requests since. */
  forget(): void {
    this.recent.clear();
  }

  /** Stores the environment's answer to a stored call, unless there is one. @returns the one that is kept then. */
  async keepAnswer(record: CallRecord, answer: StepAnswer): Promise<StepAnswer> {
    const { key } = record;
    const name = identityHash(record);
    const kept = await keepFirst<LateAnswer>(this.store, stepAnswerKey(name), {
      record: { key, answer },
      keyOf: (late) => late.key,
    });
    return kept.answer;
  }

  /** The environment's answer to a stored call; null where it has not come yet. */
  async answerTo({ record, answer }: StoredCall): Promise<StepAnswer | null> {
    if (answer !== null) return answer;
    const late = await readJson<LateAnswer>(this.store, stepAnswerKey(identityHash(record)));
    return late?.key === record.key ? late.answer : null;
  }

  /** The record at a call's place, whatever it was asked; null where there is none. */
  async at(call: CallIdentity): Promise<StoredCall | null> {
    const name = identityHash(call);
    const recent = this.recent.get(name);
    if (recent !== undefined) return recent;
    return readJson<StoredCall>(this.store, callKey(name));
  }

  /** The record of exactly this call: same place, same key. */
  async find(call: CallIdentity, key: string): Promise<StoredCall | null> {
    const stored = await this.at(call);
    return stored?.record.key === key ? stored : null;
  }
}
