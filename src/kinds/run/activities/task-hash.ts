import { createHash } from 'node:crypto';

/** SHA-256 of a run's tasks, in the order in which they are written. */
export class TaskHash {
  private readonly hash = createHash('sha256');

  add(line: string): void {
    this.hash.update(line);
  }

  digest(): string {
    return this.hash.digest('hex');
  }
}
