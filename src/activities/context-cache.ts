import { Lru, loadedOnce } from './lru.js';

/** What a worker has read of the experiments that it touched lately, by the run as activities are handed it. */
export abstract class ContextCache<Context> {
  private readonly contexts: Lru<string, Promise<Context>>;

  /** @param capacity experiments that are kept */
  constructor(capacity: number) {
    this.contexts = new Lru(capacity);
  }

  /** Where reading fails, the next one who asks reads it anew. */
  get(run: string): Promise<Context> {
    return loadedOnce(this.contexts, run, () => this.open(run));
  }

  /** After the experiment's folder was written anew. */
  forget(run: string): void {
    this.contexts.delete(run);
  }

  protected abstract open(run: string): Promise<Context>;
}
