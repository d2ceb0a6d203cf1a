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

/** Reports whether the newest reply may have caused an error: neither the provider nor anything outside has failed. */
export function mayBlameReply({ type }: EpisodeError): boolean {
  return !isLanguageModelErrorKind(type) && !isOutsideError(type);
}

/**
 * Sets a reply aside, so that its call requests the model again. The reply stays among the calls, and counts. May be
 * repeated: a newer reply is not touched.
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

/** Lists the replies that were set aside. */
export async function* setAsideCalls(store: ArtifactStore): AsyncGenerator<CallRecord> {
  for await (const { record } of recordsBelow<StoredCall>(store, setAsidePrefix())) yield record;
}
