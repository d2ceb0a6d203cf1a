import type { CallIdentity, CallRecord } from '../contracts/language-model.js';
import type { EpisodeError } from '../contracts/results.js';
import { isLanguageModelErrorKind } from '../language-models/errors.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { callKey, setAsideKey, setAsidePrefix } from '../storage/paths.js';
import { recordsBelow } from '../storage/read-ahead.js';
import { parseJson } from '../storage/stored-file.js';
import { identityHash } from './call-key.js';
import type { StoredCall } from './call-store.js';
import { isOutsideError } from './incomplete.js';

/** Whether the newest reply may be to blame for an error: neither the provider nor anything outside has failed. */
export function mayBlameReply({ type }: EpisodeError): boolean {
  return !isLanguageModelErrorKind(type) && !isOutsideError(type);
}

/**
 * Makes the place of a reply free, so that the model is asked again there. The reply stays among the calls, and counts.
 * May be repeated: a reply that has come meanwhile is left alone.
 */
export async function setAside(
  store: ArtifactStore,
  { call, at }: { call: CallIdentity; at: string },
): Promise<void> {
  const name = identityHash(call);
  const text = await store.readText(callKey(name));
  if (text === null || parseJson<StoredCall>(text, store, callKey(name)).record.at !== at) return;
  await store.write(setAsideKey(name, Date.parse(at)), text);
  await store.delete([callKey(name)]);
}

/** The replies that were set aside. */
export async function* setAsideCalls(store: ArtifactStore): AsyncGenerator<CallRecord> {
  for await (const { record } of recordsBelow<StoredCall>(store, setAsidePrefix())) yield record;
}
