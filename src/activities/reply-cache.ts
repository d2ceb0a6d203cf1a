import type { GenerateReply } from '../contracts/language-model.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { cachedReplyKey } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';

/** Replies shared between samples, trials and runs of one `results_dir`, by prompt (`lm.cache: true`). */
export class ReplyCache {
  constructor(private readonly store: ArtifactStore) {}

  get(promptKey: string): Promise<GenerateReply | null> {
    return readJson<GenerateReply>(this.store, cachedReplyKey(promptKey));
  }

  /** Stores a reply. The first one stays, since others may have used it already. */
  async put(promptKey: string, reply: GenerateReply): Promise<void> {
    await this.store.write(cachedReplyKey(promptKey), JSON.stringify(reply), { ifAbsent: true });
  }
}
