import type { GenerateReply } from '../contracts/language-model.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { cachedReplyKey } from '../storage/paths.js';

/** Replies shared between samples, trials and runs of one `results_dir`, by prompt (`lm.cache: true`). */
export class ReplyCache {
  constructor(private readonly store: ArtifactStore) {}

  async get(promptKey: string): Promise<GenerateReply | null> {
    const text = await this.store.readText(cachedReplyKey(promptKey));
    return text === null ? null : (JSON.parse(text) as GenerateReply);
  }

  /** The first reply stays: who has used it already is to be found in it. */
  async put(promptKey: string, reply: GenerateReply): Promise<void> {
    await this.store.write(cachedReplyKey(promptKey), JSON.stringify(reply), { ifAbsent: true });
  }
}
