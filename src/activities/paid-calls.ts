import { basename } from 'node:path/posix';
import type { CallRecord } from '../contracts/language-model.js';
import { addStep, costOfCall, costOfUnkept, noStepCost } from '../runtime/step-cost.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callsPrefix, paidCallsKey } from '../storage/paths.js';
import { recordsBelow } from '../storage/read-ahead.js';
import { readJson } from '../storage/stored-file.js';
import { identityHash } from './call-key.js';
import type { PaidCalls, StoredCall } from './call-store.js';
import { setAsideCalls } from './set-aside.js';
import { unkeptSoFar } from './unkept.js';

/** Which stored calls are not counted here: those of finished units, and what cost nothing. */
export interface NotCounted {
  /** By the hash of the call's place. */
  place?(hash: string): boolean;
  record?(record: CallRecord): boolean;
}

/**
 * Adds up what was ever paid in an experiment's folder beside its finished units: every stored reply, those that were set
 * aside, and requests without one. Limits begin from it. It is noted which replies are in it, so that one that is found
 * again is not counted again. Added up once an execution: what comes later is the execution's own.
 */
export async function paidBefore(
  store: ArtifactStore,
  execution: string,
  not: NotCounted = {},
): Promise<PaidCalls> {
  const known = await readJson<PaidCalls>(store, paidCallsKey());
  if (known?.execution === execution) return known;
  let cost = addStep(noStepCost(), costOfUnkept(await unkeptSoFar(store)));
  for await (const record of setAsideCalls(store)) cost = addStep(cost, costOfCall(record));
  const calls: PaidCalls['calls'] = {};
  const isCounted = (key: string) => not.place?.(basename(key, '.json')) !== true;
  for await (const { record } of recordsBelow<StoredCall>(store, callsPrefix(), isCounted)) {
    if (not.record?.(record) === true) continue;
    calls[identityHash(record)] = record.at;
    cost = addStep(cost, costOfCall(record));
  }
  const paid: PaidCalls = { execution, cost, calls };
  await store.write(paidCallsKey(), JSON.stringify(paid));
  return paid;
}
