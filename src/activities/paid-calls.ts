import { basename } from 'node:path/posix';
import type { CallRecord } from '../contracts/language-model.js';
import { addStep, costOfCall, costOfUnrecorded, noStepCost } from '../runtime/step-cost.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callsPrefix, paidCallsKey } from '../storage/paths.js';
import { recordsBelow } from '../storage/read-ahead.js';
import { readJson } from '../storage/stored-file.js';
import { identityHash } from './call-key.js';
import type { PaidCalls, StoredCall } from './call-store.js';
import { setAsideCalls } from './set-aside.js';
import { unrecordedSoFar } from './unrecorded.js';

/** Stored calls that are not counted here: those of finished units, and those without cost. */
export interface NotCounted {
  /** True if the call with this hash of its identity is not counted. */
  place?(hash: string): boolean;
  record?(record: CallRecord): boolean;
}

/**
 * Adds up the cost of an experiment's folder besides its finished units: of all stored replies, of those set aside, and
 * of unrecorded requests. Limits begin from it. The counted replies are noted, so that none is counted again when it is
 * found. Computed once an execution: later costs are the execution's own.
 */
export async function paidBefore(
  store: ArtifactStore,
  execution: string,
  not: NotCounted = {},
): Promise<PaidCalls> {
  const known = await readJson<PaidCalls>(store, paidCallsKey());
  if (known?.execution === execution) return known;
  let cost = addStep(noStepCost(), costOfUnrecorded(await unrecordedSoFar(store)));
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
