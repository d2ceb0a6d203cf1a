import type { EpisodeError } from '../contracts/results.js';

/** Characters of a message that are kept: what a person needs to know what was wrong; the rows have the whole. */
const MOST_CHARACTERS = 400;

/** How often each type of error came up, and what was said first of each. */
export class ErrorTally {
  /** What providers, environments and agents name may be called `constructor`: kept in a map, not in an object. */
  private readonly types = new Map<string, { count: number; message: string }>();

  add({ type, message }: EpisodeError): void {
    const before = this.types.get(type);
    this.types.set(type, { count: (before?.count ?? 0) + 1, message: before?.message ?? shortened(message) });
  }

  get total(): number {
    return [...this.types.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** By type, in the order of their names. */
  counts(): Record<string, number> {
    return this.each(({ count }) => count);
  }

  /** As a figure of the metrics; nothing where there was no error. */
  messages(): { error_messages?: Record<string, string> } {
    return this.types.size === 0 ? {} : { error_messages: this.each(({ message }) => message) };
  }

  private each<Value>(value: (of: { count: number; message: string }) => Value): Record<string, Value> {
    const sorted = [...this.types].sort(([left], [right]) => (left < right ? -1 : 1));
    return Object.fromEntries(sorted.map(([type, of]) => [type, value(of)]));
  }
}

/** A message as the metrics have it. */
export function shortened(message: string): string {
  return message.length <= MOST_CHARACTERS ? message : `${message.slice(0, MOST_CHARACTERS)}…`;
}
