/** What could not be carried over, a sentence each, in the order of the first of its kind. */
export class ImportNotes {
  private readonly counts = new Map<string, number>();

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Returns the sentences, with how often each was the case. */
  lines(): string[] {
    return [...this.counts].map(([what, count]) => (count === 1 ? `${what}.` : `${what} (${count} times).`));
  }
}
