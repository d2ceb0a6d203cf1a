import type { GenerateReply } from '../contracts/language-model.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { cachedReplyKey } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';

/** Milliseconds for which a reply stays here: until then it is in the store, unless its call was given up. */
const KEPT = 60_000;

/** Replies that calls of this process wait for, by key, so that equal calls are made once. */
export class AwaitedReplies {
  private readonly awaited = new Map<string, Promise<GenerateReply | null>>();

  /** Returns the reply that another call with this key waits for; null if it failed; undefined if there is none. */
  of(key: string): Promise<GenerateReply | null> | undefined {
    return this.awaited.get(key);
  }

  /** Waits for the reply of a call, for others as well. */
  async during<Answer extends { reply: GenerateReply }>(
    key: string,
    answered: () => Promise<Answer>,
  ): Promise<Answer> {
    const answer = answered();
    const reply = answer.then(
      (one) => one.reply,
      () => null,
    );
    this.awaited.set(key, reply);
    try {
      const found = await answer;
      setTimeout(() => this.awaited.delete(key), KEPT).unref();
      return found;
    } catch (error) {
      this.awaited.delete(key);
      throw error;
    }
  }
}

/** Replies shared between the runs of one `results_dir`, by their keys (`lm.cache`). */
export class ReplyCache {
  constructor(private readonly store: ArtifactStore) {}

  get(key: string): Promise<GenerateReply | null> {
    return readJson<GenerateReply>(this.store, cachedReplyKey(key));
  }

  /** Stores a reply. The first one stays, since others may have used it already. */
  async put(key: string, reply: GenerateReply): Promise<void> {
    await this.store.write(cachedReplyKey(key), JSON.stringify(reply), { ifAbsent: true });
  }
}
