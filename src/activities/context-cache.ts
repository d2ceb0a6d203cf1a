import { LRUCache } from 'lru-cache';
import { loadedOnce } from './loaded-once.js';

/** Cache of the contexts of recently used experiments in a worker, by the run reference of the activities. */
export abstract class ContextCache<Context> {
  private readonly contexts: LRUCache<string, Promise<Context>>;

  /** @param capacity maximum number of experiments */
  constructor(capacity: number) {
    this.contexts = new LRUCache({ max: capacity });
  }

  /** Returns a context; after a failed read, the next call reads it again. */
  get(run: string): Promise<Context> {
    return loadedOnce(this.contexts, run, () => this.open(run));
  }

  /** Removes a context, after the experiment's folder was rewritten. */
  forget(run: string): void {
    this.contexts.delete(run);
  }

  protected abstract open(run: string): Promise<Context>;
}
